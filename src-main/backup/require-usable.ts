import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { ifThere, messageOf } from '#main/lib/file-system.ts'
import { fromFile } from '#main/storage/local/config-file.ts'
import { schemaVersion } from '#main/storage/local/config-file-schema.ts'
import { parseKey } from '#main/storage/local/data-key.ts'
import { readKeyFile } from '#main/storage/local/key-file.ts'
import { migrations } from '#main/storage/local/migrations/index.ts'
import { migrate } from '#main/storage/local/migrations/migrate.ts'
import { createSealer } from '#main/storage/local/secrets.ts'
import { requireOwnHistory } from '#main/storage/local/sqlite/history-schema.ts'
import { requireOwnLog } from '#main/storage/local/sqlite/schema.ts'
import { damaged } from './damaged.ts'

/**
 * Makes sure that a service can start on what was unpacked: the configuration opens with the key beside it, and
 * the databases hold nothing but what this program made. A key that is not in the backup is not asked for.
 *
 * @throws ServiceError `damaged_backup`.
 */
export async function requireUsable(folder: string): Promise<void> {
  await requireOpenable(join(folder, 'config.json'), join(folder, 'secret.key'))
  await requireOwn('event log', join(folder, 'events.sqlite'), requireOwnLog)
  await requireOwn('history', join(folder, 'history.sqlite'), requireOwnHistory)
}

async function requireOpenable(configFile: string, keyFile: string): Promise<void> {
  const keyText = await readKeyFile(keyFile)
  if (keyText === null || keyText.isWrapped) return
  const key = parseKey(keyText.text)
  if (key === null) throw damaged('Its secret.key is not a key.')
  try {
    const { value } = migrate(JSON.parse(await readFile(configFile, 'utf8')), migrations, schemaVersion)
    fromFile(value, createSealer(key))
  } catch (cause) {
    throw damaged(`Its config.json cannot be used with its secret.key: ${messageOf(cause)}`, cause)
  }
}

async function requireOwn(
  what: string,
  file: string,
  check: (database: DatabaseSync) => void,
): Promise<void> {
  if ((await ifThere(stat(file))) === null) return
  // Immutable: SQLite then leaves no files of its own beside it.
  const database = new DatabaseSync(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true })
  try {
    check(database)
  } catch (cause) {
    throw damaged(`Its ${what} cannot be used: ${messageOf(cause)}`, cause)
  } finally {
    database.close()
  }
}
