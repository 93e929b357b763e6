import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { fromFile } from '#main/store/config-file.ts'
import { schemaVersion } from '#main/store/config-file-schema.ts'
import { parseKey } from '#main/store/data-key.ts'
import { ifThere, messageOf } from '#main/store/file-system.ts'
import { readKeyFile } from '#main/store/key-file.ts'
import { migrations } from '#main/store/migrations/index.ts'
import { migrate } from '#main/store/migrations/migrate.ts'
import { createSealer } from '#main/store/secrets.ts'
import { requireOwnHistory } from '#main/store/sqlite/history-schema.ts'
import { requireOwnLog } from '#main/store/sqlite/schema.ts'
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
