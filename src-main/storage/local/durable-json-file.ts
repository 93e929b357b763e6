import { basename } from 'node:path'
import type { Adapter } from 'lowdb'
import {
  errnoOf,
  type FileSystem,
  freeName,
  messageOf,
  systemFiles,
  writeDurably,
} from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { unavailable } from '../unavailable.ts'
import { replaceDurably } from './durable-replace.ts'

/** Thrown by `decode` for unusable content; the file then counts as damaged. */
export class DamagedContent extends Error {
  override readonly name = 'DamagedContent'
}

type DurableFileOptions<T> = {
  readonly path: string
  /** @throws DamagedContent for unusable content. Other errors reach the reader unchanged. */
  readonly decode: (bytes: Buffer) => T | Promise<T>
  readonly encode: (data: T) => string | AsyncIterable<Uint8Array>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly fs?: FileSystem | undefined
}

type DurableFile<T> = Adapter<T> & {
  /** Sentences for the operator about what `read` repaired. */
  readonly notices: readonly string[]
}

type Examined<T> = { state: 'good'; data: T } | { state: 'absent' | 'damaged'; problem: string }

/**
 * Creates a lowdb adapter with atomic writes that survive kill -9 and loss of power. It keeps the content before the
 * last write as `<path>.bak`. A damaged file is never overwritten: `read` sets it aside and restores the copy, or leaves
 * both as they are if the copy is unusable too. Call `write` only after the one before it.
 *
 * @throws ServiceError `damaged_configuration` from `read`; `storage_unavailable` from both, if the file cannot be read
 *   or written.
 */
export function createDurableFile<T>(options: DurableFileOptions<T>): DurableFile<T> {
  const { path, decode, encode, clock, fs = systemFiles } = options
  const name = basename(path)
  const copyPath = `${path}.bak`
  const notices: string[] = []

  async function examine(file: string): Promise<Examined<T>> {
    let bytes: Buffer
    try {
      bytes = await fs.readFile(file)
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return { state: 'absent', problem: 'it is missing' }
      throw unavailable(`${file} cannot be read`, error)
    }
    try {
      return { state: 'good', data: await decode(bytes) }
    } catch (error) {
      if (error instanceof DamagedContent)
        return { state: 'damaged', problem: error.message.replace(/\.$/, '') }
      throw error
    }
  }

  async function read(): Promise<T | null> {
    const file = await examine(path)
    if (file.state === 'good') return file.data
    const copy = await examine(copyPath)
    if (file.state === 'absent' && copy.state === 'absent') return null
    if (copy.state !== 'good') {
      throw new ServiceError('damaged_configuration', {
        detail: `${path} cannot be used: ${file.problem}. Its last good copy, ${copyPath}, cannot be used either: ${copy.problem}. Both files stay as they are.`,
      })
    }
    notices.push(await recover(file))
    return copy.data
  }

  async function recover({ state, problem }: { state: 'absent' | 'damaged'; problem: string }) {
    try {
      let where = ''
      if (state === 'damaged') {
        // Windows does not allow colons in names.
        const time = new Date(clock()).toISOString().replaceAll(':', '-')
        const aside = await freeName(`${path}.damaged-${time}`, fs)
        await fs.rename(path, aside)
        where = ` It is kept as ${basename(aside)}.`
      }
      // Not a link: what damages a file in place would damage its copy too.
      await writeDurably(path, await fs.readFile(copyPath), fs)
      return `${name} could not be used: ${problem}.${where} The last good copy is used.`
    } catch (error) {
      throw unavailable(
        `${path} cannot be used (${problem}), and its last good copy cannot replace it`,
        error,
      )
    }
  }

  async function write(data: T): Promise<void> {
    try {
      await replaceDurably(path, copyPath, encode(data), fs)
    } catch (error) {
      throw unavailable(`${name} cannot be written`, error)
    }
  }

  return { notices, read, write }
}

/** Parses the bytes of a JSON file. @throws DamagedContent, without quoting the text, which may be a secret. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes)
  if (text.trim() === '') throw new DamagedContent('it is empty')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new DamagedContent(`it is not valid JSON (${withoutQuotation(messageOf(error), text)})`)
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    // Drops a BOM, which some editors add.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new DamagedContent('it is not UTF-8 text')
  }
}

// V8 quotes 10 characters on either side of the unexpected one.
const quotedBefore = 10
const quotation = /, (\.{3})?"([\s\S]*)"(\.{3})? is not valid JSON$/

/** Returns the parser's message with the line instead of the quoted text, which may be a secret. */
function withoutQuotation(message: string, text: string): string {
  const found = quotation.exec(message)
  if (found === null) return message
  const at = text.indexOf(found[2] ?? '') + (found[1] === undefined ? 0 : quotedBefore)
  return `${message.slice(0, found.index)} near line ${text.slice(0, at).split('\n').length}`
}
