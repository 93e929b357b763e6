import type { FileHandle } from 'node:fs/promises'
import { type FileSystem, ifThere, writeDurably } from '#main/lib/file-system.ts'
import { checkedTextOf, type Position, parseCheckedText } from './config-position.ts'

/** Bytes of the file. It is overwritten in place, so its length never changes. */
const length = 100

/**
 * Names the newest version of the configuration in a file of its own, so that a start notices if the newest changes are
 * missing. It is written after each change is durable, and not synced: a loss of power may set it back, and never ahead.
 */
export type ConfigMark = {
  /** Replaces the file. Resolves when the new one survives a loss of power. */
  begin(position: Position): Promise<void>
  /** Overwrites the content, once `begin` has resolved; does nothing before. */
  move(position: Position): Promise<void>
  remove(): Promise<void>
  close(): Promise<void>
}

/** Returns the path of the mark of a configuration file. */
export const markName = (file: string) => `${file}.version`

/** Returns the position that the mark names; null if there is none, or it is not as it was written. */
export async function readMark(file: string, fs: FileSystem): Promise<Position | null> {
  const bytes = await ifThere(fs.readFile(markName(file))).catch(() => null)
  return bytes === null || bytes.length !== length ? null : parseCheckedText(bytes.toString('latin1').trim())
}

export function createMark(file: string, fs: FileSystem): ConfigMark {
  let isThere = false
  let open: FileHandle | null = null

  async function close(): Promise<void> {
    const handle = open
    open = null
    await handle?.close()
  }

  return {
    async begin(position) {
      await close()
      await writeDurably(markName(file), bytesOf(position), fs)
      isThere = true
    },
    async move(position) {
      if (!isThere) return
      open ??= await fs.open(markName(file), 'r+')
      await open.write(bytesOf(position), 0, length, 0)
    },
    async remove() {
      await close()
      await fs.rm(markName(file), { force: true })
    },
    close,
  }
}

function bytesOf(position: Position): Buffer {
  return Buffer.from(`${checkedTextOf(position).padEnd(length - 1)}\n`, 'latin1')
}
