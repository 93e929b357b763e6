import { blockBytes, paddingOf, type TarHeader, writeTarHeader } from './tar-header.ts'

export type TarFile = TarHeader & {
  /** Exactly `size` bytes. */
  readonly content: () => AsyncIterable<Uint8Array>
}

/**
 * A tar archive of plain files (ustar), piece by piece.
 *
 * @param modifiedAt of all of them, in milliseconds since 1970.
 * @throws Error when a content has another size than it was announced with: the archive is then cut short.
 */
export async function* writeTar(files: readonly TarFile[], modifiedAt: number): AsyncGenerator<Uint8Array> {
  for (const file of files) {
    yield writeTarHeader(file, modifiedAt)
    let left = file.size
    for await (const chunk of file.content()) {
      left -= chunk.length
      if (left < 0) break
      yield chunk
    }
    if (left !== 0) throw new Error(`${file.name} does not have the ${file.size} bytes that it should have.`)
    yield Buffer.alloc(paddingOf(file.size))
  }
  yield Buffer.alloc(2 * blockBytes)
}
