import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type FileSystem, ifThere } from '#main/lib/file-system.ts'
import type { Config } from '../config.ts'
import { filePartsOf, headOf } from './config-file.ts'
import { type Position, writtenAfter, writtenBefore } from './config-position.ts'
import type { Range } from './json-records.ts'
import type { SealedTexts } from './sealed-texts.ts'

/** The bytes that are read or made at a time. Making them takes the main thread about a millisecond. */
const readBytes = 1024 * 1024
const madeCharacters = 64 * 1024

const separator = ',\n    '
const [openingBrace, closingBrace] = Buffer.from('{}')

/** The file as it was when it was read or written. */
type Base = { readonly identity: Identity; readonly ranges: ReadonlyMap<object, Range> }
type Identity = { readonly ino: bigint; readonly size: bigint; readonly mtimeNs: bigint }

/** Makes the content of the configuration file. Records that the file has already are copied from it. */
export type ConfigContent = ReturnType<typeof createConfigContent>

export function createConfigContent(file: string, texts: SealedTexts, fs: FileSystem) {
  let base: Base | null = null

  /** Opens the present file; null if it is not the one that was read or written. */
  async function openBase(): Promise<(Base & { readonly handle: FileHandle }) | null> {
    if (base === null) return null
    const { identity, ranges } = base
    const handle = await ifThere(fs.open(file, 'r'))
    if (handle === null) return null
    const now = await handle.stat({ bigint: true }).catch(() => null)
    const isSame = now?.ino === identity.ino && now.size === identity.size && now.mtimeNs === identity.mtimeNs
    if (isSame) return { identity, ranges, handle }
    await handle.close()
    return null
  }

  async function* chunks(config: Config, journal: number, position: Position, written: Map<object, Range>) {
    const from = await openBase()
    let sum = 0
    try {
      for await (const chunk of contentOf(config, journal, position, texts, from, written)) {
        sum = crc32(chunk, sum)
        yield chunk
      }
      yield Buffer.from(writtenAfter(sum))
    } finally {
      await from?.handle.close()
    }
  }

  return {
    /**
     * Returns the content of the file of a configuration.
     *
     * @param journal the number of the last journal whose changes are in the configuration.
     * @param position the place of the last of them in the history.
     * @param written gets the places of the records.
     */
    of: chunks,
    /** Returns the bytes of the present file; 0 if they are not known. */
    size: () => Number(base?.identity.size ?? 0),
    /** Takes note of the places of the records in the present file. If that fails, none is copied. */
    async isNow(ranges: ReadonlyMap<object, Range>): Promise<void> {
      base = null
      const handle = await fs.open(file, 'r').catch(() => null)
      const identity = await handle?.stat({ bigint: true }).catch(() => null)
      await handle?.close().catch(() => {})
      if (identity) base = { identity, ranges }
    },
    /** Forgets the present file, so that the next content copies nothing from it. */
    forget() {
      base = null
    },
  }
}

/** Yields the content up to its checksum. */
async function* contentOf(
  config: Config,
  journal: number,
  position: Position,
  texts: SealedTexts,
  from: { readonly handle: FileHandle; readonly ranges: ReadonlyMap<object, Range> } | null,
  written: Map<object, Range>,
): AsyncGenerator<Uint8Array> {
  let made = ''
  /** Neighbouring records of the base that come next. */
  let run: Range | null = null
  /** Bytes before what is added next. */
  let at = 0
  let buffer = Buffer.alloc(0)

  async function* flush() {
    if (made !== '') yield Buffer.from(made)
    made = ''
    if (run === null || from === null) return
    const size = run.to - run.from
    if (buffer.length < size) buffer = Buffer.allocUnsafeSlow(Math.max(size, readBytes))
    const bytes = buffer.subarray(0, size)
    await readFully(from.handle, bytes, run.from)
    run = null
    if (bytes[0] !== openingBrace || bytes[size - 1] !== closingBrace)
      throw new Error('The file does not have its records where they were.')
    yield bytes
  }
  function make(text: string): void {
    made += text
    at += Buffer.byteLength(text)
  }

  make(JSON.stringify(headOf(config, journal), null, 2).slice(0, -2))
  for (const { name, records } of filePartsOf(config, texts)) {
    if (run !== null) yield* flush()
    make(`,\n  "${name}": [`)
    let isEmpty = true
    for (const { value, toEntry } of records) {
      const known = value === null ? undefined : from?.ranges.get(value)
      const start = at + (isEmpty ? separator.length - 1 : separator.length)
      if (known !== undefined && run !== null && known.from === run.to + separator.length) {
        run = { from: run.from, to: known.to }
        at = start + known.to - known.from
      } else {
        if (run !== null) yield* flush()
        make(isEmpty ? separator.slice(1) : separator)
        if (known === undefined) make(JSON.stringify(toEntry(), null, 2).replaceAll('\n', '\n    '))
        else {
          run = known
          at += known.to - known.from
        }
      }
      if (value !== null) written.set(value, { from: start, to: at })
      if (made.length >= madeCharacters || (run !== null && run.to - run.from >= readBytes)) yield* flush()
      isEmpty = false
    }
    if (run !== null) yield* flush()
    make(isEmpty ? ']' : '\n  ]')
  }
  make(writtenBefore(position))
  yield* flush()
}

async function readFully(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let read = 0; read < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, read, bytes.length - read, position + read)
    if (bytesRead === 0) throw new Error('The file has become shorter.')
    read += bytesRead
  }
}
