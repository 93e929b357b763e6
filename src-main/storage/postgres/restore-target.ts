import { join } from 'node:path'
import { maskDatabaseUrls } from '#main/lib/mask-database-url.ts'
import { ServiceError } from '#shared/errors.ts'
import { keyFromEnvironment, parseKey } from '../local/data-key.ts'
import { readKeyFile } from '../local/key-file.ts'
import { refuseNewer, requireUsable } from '../local/require-usable.ts'
import { readRows } from '../local/rows/read-rows.ts'
import type { RestoreTarget } from '../storage.ts'
import { connectorTo } from './connect.ts'
import { importRows, requireUnused } from './import-rows.ts'
import { migrate, migrateMs } from './migrate.ts'
import { Pool } from './pool.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { readUrl } from './url.ts'

/**
 * Opens an empty database to fill it with a backup, in one transaction. The backup is unpacked into the system's folder
 * for temporary files.
 *
 * @param env with the key of the backup.
 * @throws ServiceError `key_required`, `wrong_key`, `invalid_database_url`.
 */
export async function openDatabaseForRestore(url: string, env: NodeJS.ProcessEnv): Promise<RestoreTarget> {
  const key = keyFromEnvironment(env)
  if (key === null) throw new ServiceError('key_required')
  const connect = connectorTo(url, { silentMs: migrateMs })
  const pool = new Pool(connect, 1)
  const { path: folder, remove } = await temporaryFolder()
  const notices: string[] = []
  return {
    path: maskDatabaseUrls(await readUrl(url)),
    notices,
    async requireReplaceable() {
      await pool.use(requireUnused)
    },
    unpackInto: async () => folder,
    async replace() {
      await refuseNewer(folder)
      await requireSameKey(join(folder, 'secret.key'), key)
      await requireUsable(folder, key)
      await migrate(pool)
      const unreadable = new Map<string, number>()
      const count = (table: string) => unreadable.set(table, (unreadable.get(table) ?? 0) + 1)
      await importRows(connect, readRows(folder, count))
      for (const [table, rows] of unreadable)
        notices.push(`Damaged and left out, of the ${table} in the backup: ${rows}.`)
      return null
    },
    async close() {
      pool.close()
      await remove()
    },
  }
}

/** @throws ServiceError `wrong_key`, `key_in_keychain` unless the key in a backup, if it has one, is this one. */
async function requireSameKey(keyFile: string, key: Buffer): Promise<void> {
  const file = await readKeyFile(keyFile)
  if (file === null) return
  if (file.isWrapped)
    throw new ServiceError('key_in_keychain', {
      detail:
        "A user's keychain protects the key in the backup. Turn off the keychain in the settings of the desktop app, and make another backup.",
    })
  if (parseKey(file.text)?.equals(key) !== true)
    throw new ServiceError('wrong_key', {
      detail:
        'CUSTOM_CONNECTION_KEY is not the key in the backup. Set it to the text of the file secret.key in the backup.',
    })
}
