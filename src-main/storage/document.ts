import { readFile, rm } from 'node:fs/promises'
import { ifThere, writeDurably } from '#main/lib/file-system.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'

/** A small JSON document that survives a restart. It is read and replaced as a whole. */
export type StoredDocument = {
  /** Where it is stored, for messages to the operator. */
  readonly location: string
  /** Returns the parsed document; null if there is none. @throws if it cannot be read or is not JSON. */
  read(): Promise<unknown>
  /** Resolves when the new content survives kill -9 and loss of power. If it fails, the old content stays. */
  write(value: unknown): Promise<void>
  remove(): Promise<void>
}

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
