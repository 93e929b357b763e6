import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ifThere } from '#main/lib/file-system.ts'
import { schemaVersion } from '#main/storage/local/config-file-schema.ts'
import { historyVersion } from '#main/storage/local/sqlite/history-schema.ts'
import { eventLogVersion } from '#main/storage/local/sqlite/schema.ts'
import { ServiceError } from '#shared/errors.ts'
import { readBytes } from './read-bytes.ts'

const Versioned = z.object({ schemaVersion: z.int() })

/** Where SQLite keeps `user_version` in a database file: 4 bytes, the high one first. */
const userVersionOffset = 60

/**
 * Makes sure that this version of the program can start on what was unpacked.
 *
 * @throws ServiceError `newer_backup`.
 */
export async function refuseNewer(folder: string): Promise<void> {
  const config = await configVersion(join(folder, 'config.json'))
  if (config > schemaVersion) throw newer(`config.json has version ${config}`, schemaVersion)
  const log = await versionOf(join(folder, 'events.sqlite'))
  if (log > eventLogVersion) throw newer(`its event log has version ${log}`, eventLogVersion)
  const history = await versionOf(join(folder, 'history.sqlite'))
  if (history > historyVersion) throw newer(`its history has version ${history}`, historyVersion)
}

/** @returns 0 when the file does not say: the service will say what is wrong with it. */
async function configVersion(file: string): Promise<number> {
  try {
    return Versioned.parse(JSON.parse(await readFile(file, 'utf8'))).schemaVersion
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return 0
    throw error
  }
}

/** Read from the file itself: opening the database would leave files of SQLite's beside it. */
async function versionOf(file: string): Promise<number> {
  return (await ifThere(readBytes(file, userVersionOffset, 4)))?.readUInt32BE() ?? 0
}

function newer(what: string, known: number): ServiceError {
  return new ServiceError('newer_backup', {
    detail: `The backup was made by a newer version of this program: ${what}, this one knows versions up to ${known}.`,
  })
}
