import { createWriteStream, type WriteStream } from 'node:fs'

/** A new file of mode 0600, which is on the disk when the stream has closed. Its entry in the folder is not yet. */
export function newPrivateFile(path: string): WriteStream {
  return createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
}
