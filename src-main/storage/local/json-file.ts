import { readFile, rm } from 'node:fs/promises'
import { ifThere, writeDurably } from '#main/lib/file-system.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import type { StoredDocument } from '../document.ts'

/** Returns the document in a JSON file of mode 0600, in a data folder that this process holds. */
export function jsonFile(path: string): StoredDocument {
  const inTurn = createSerialQueue()
  return {
    location: path,
    async read() {
      const text = await ifThere(readFile(path, 'utf8'))
      return text === null ? null : JSON.parse(text)
    },
    write(value) {
      const text = `${JSON.stringify(value)}\n`
      return inTurn(() => writeDurably(path, text))
    },
    remove: () => inTurn(() => rm(path, { force: true })),
  }
}
