import type { ConnectionSummary } from '#shared/model/connection.ts'
import { client } from '../../client/client.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { exportFileName } from './export-file-name.ts'

/** Downloads a connection as an import document named after it. */
export async function exportConnection(
  connection: Pick<ConnectionSummary, 'connectionId' | 'name'>,
): Promise<void> {
  const { connectionId, name } = connection
  try {
    const document = await client.imports.export({ connectionId })
    download(exportFileName(name), `${JSON.stringify(document, null, 2)}\n`)
    toastDone(`Connection “${name}” exported`, 'The file holds no credential.')
  } catch (error) {
    toastProblem('The connection was not exported', error)
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
