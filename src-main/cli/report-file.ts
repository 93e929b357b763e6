import { writeFile } from 'node:fs/promises'
import { messageOf } from '#main/lib/file-system.ts'
import { wrongUsage } from './exit-status.ts'
import { CommandFailed, printable, say } from './output.ts'

/**
 * Writes a report after its outcome was printed, and says so on stderr.
 *
 * @throws CommandFailed of wrong usage, already explained, if the file cannot be written.
 */
export async function writeReport(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text)
  } catch (cause) {
    // Not the JSON of an error, because stdout already has the one line of the outcome.
    say(printable(`The file ${file} cannot be written: ${messageOf(cause)}`))
    throw new CommandFailed(wrongUsage)
  }
  say(printable(`Written to ${file}.`))
}
