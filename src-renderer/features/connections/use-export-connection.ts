import { client } from '../../client/client.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { exportFileName } from './export-file-name.ts'

/** Downloads a connection as an import document named after it. */
export function useExportConnection(): (connection: { connectionId: string; name: string }) => void {
  return ({ connectionId, name }) => {
    const fileName = exportFileName(name)
    client.imports.export({ connectionId }).then(
      document => {
        download(fileName, `${JSON.stringify(document, null, 2)}\n`)
        toastDone(`Connection “${name}” exported`, 'The file holds no credential.')
      },
      error => toastProblem('The connection was not exported', error),
    )
  }
}

function download(fileName: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  // The download has begun with the click; only its name is given back.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}
