import { chmod, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backup } from 'node:sqlite'
import { openForReading } from './own-database.ts'

/** A store in a database file. */
export type Copied = {
  /** Writes a consistent copy to a new file while the store is in use; none if nothing was ever stored. */
  backup(path: string): Promise<void>
}

/**
 * Writes a consistent copy of a database to `path`. The copy appears there only once it is complete and durable. SQLite
 * copies in a thread of its own and in one step, because every write in between would make it start over.
 */
export async function backUp(file: string, path: string): Promise<void> {
  const source = openForReading(file)
  const unfinished = `${path}.tmp`
  try {
    await rm(unfinished, { force: true })
    await (await open(unfinished, 'wx', 0o600)).close()
    await backup(source, unfinished, { rate: wholeFile })
    await chmod(unfinished, 0o600)
    await sync(unfinished)
    await rename(unfinished, path)
    await sync(dirname(path))
  } finally {
    source.close()
    await rm(unfinished, { force: true })
  }
}

/** More pages than a database can have. */
const wholeFile = 0x7fffffff

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
