import { createByteReader } from './byte-reader.ts'
import { damaged } from './damaged.ts'
import { blockBytes, isZero, paddingOf, readTarHeader, type TarHeader } from './tar-header.ts'

export type TarEntry = TarHeader & {
  /** To be read to its end before the next entry is asked for. */
  readonly content: AsyncIterable<Buffer>
}

/**
 * Reads an archive as `writeTar` writes it: plain files, no folders, no links, no extensions, and its end.
 *
 * @throws ServiceError `damaged_backup` for anything else.
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = createByteReader(source)
  for (;;) {
    const header = readTarHeader(await reader.read(blockBytes))
    if (header === null) break
    yield { ...header, content: reader.pieces(header.size) }
    if (!isZero(await reader.read(paddingOf(header.size)))) throw damaged('The archive is damaged.')
  }
  // The second block of the end, and what other programs fill up with.
  if (!isZero(await reader.read(blockBytes))) throw damaged('The end of the archive is damaged.')
  for await (const piece of reader.rest())
    if (!isZero(piece)) throw damaged('Something follows the end of the archive.')
}
