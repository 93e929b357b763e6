import { describeFailure } from '#main/cli/failures.ts'
import type { ErrorCode } from '#shared/errors.ts'
import type { DialogPart } from './electron-parts.ts'

export type Decision = 'try again' | 'show the data folder' | 'quit'

/** What a person can do about it, where the error's own sentence does not say. */
const remedies: Partial<Record<ErrorCode, string>> = {
  data_folder_in_use: 'Stop the other one, such as a service started with "serve", then try again.',
  damaged_configuration:
    'Put back a backup of the data folder, or repair the file. It is left as it is until then.',
  newer_configuration: 'Install that version again, or put back a backup from before.',
  wrong_key: 'Put the key file back from a backup, then try again.',
  storage_unavailable: 'Make room on the disk or give the right to the folder, then try again.',
}

/** Says why the service cannot start, and asks what to do. */
export async function askAfterFailure(dialog: DialogPart, error: unknown): Promise<Decision> {
  const { code, message } = describeFailure(error)
  const remedy = remedies[code]
  // What another process holds is not to be mended by hand.
  const decisions: Decision[] =
    code === 'data_folder_in_use' ? ['try again', 'quit'] : ['try again', 'show the data folder', 'quit']
  const { response } = await dialog.showMessageBox({
    type: 'error',
    title: 'Custom Connection',
    message: 'Custom Connection cannot start',
    detail: `${message}${remedy === undefined ? '' : `\n\n${remedy}`}\n\nCode: ${code}`,
    buttons: decisions.map(decision => labels[decision]),
    defaultId: 0,
    cancelId: decisions.length - 1,
  })
  return decisions[response] ?? 'quit'
}

const labels: Readonly<Record<Decision, string>> = {
  'try again': 'Try again',
  'show the data folder': 'Show data folder',
  quit: 'Quit',
}
