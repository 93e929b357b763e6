import { chmod, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backup } from 'node:sqlite'
import { openForReading } from './schema.ts'

/**
 * Writes a consistent copy of `file` to `path`, which appears there only when it is whole and on the disk.
 * The copying itself runs in a thread of its own, in one step, so that endless writes cannot make it start over.
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

/** More pages than a file can have. */
const wholeFile = 0x7fffffff

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
