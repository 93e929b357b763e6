import { basename, dirname } from 'node:path'
import type { Adapter } from 'lowdb'
import {
  errnoOf,
  type FileSystem,
  freeName,
  isDiskFull,
  linkOrCopy,
  messageOf,
  syncFolder,
  systemFiles,
} from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { replaceDurably } from './durable-replace.ts'

/** What `decode` throws when the content cannot be used: the file then counts as damaged. */
export class DamagedContent extends Error {
  override readonly name = 'DamagedContent'
}

export type DurableJsonFileOptions<T> = {
  readonly path: string
  /**
   * @param raw the parsed JSON. @param text what it was parsed from.
   * @throws DamagedContent when it cannot be used; anything else that it throws goes to the reader as it is.
   */
  readonly decode: (raw: unknown, text: string) => T
  readonly encode: (data: T) => unknown
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly fs?: FileSystem | undefined
  /** Makes room on a full disk; tells whether it could, and the write is then tried once more. */
  readonly makeRoom?: (() => Promise<boolean>) | undefined
}

export type DurableJsonFile<T> = Adapter<T> & {
  /** What `read` had to do beyond reading, one sentence each, for the operator. */
  readonly notices: readonly string[]
}

type Examined<T> =
  | { state: 'good'; data: T }
  | { state: 'absent'; problem: string }
  | { state: 'damaged'; problem: string }

/**
 * A lowdb adapter whose writes survive kill -9 and loss of power, whole or not at all, and that keeps the
 * content before the last write beside it as `<path>.bak`. Writes that are asked for while one is under way
 * become one write of the last data. A damaged file is never overwritten: `read` sets it aside and puts the
 * copy in its place, or, when that is no better, leaves both as they are.
 * @throws ServiceError from `read`: `damaged_configuration`, and `storage_unavailable` for a file that is
 * there and cannot be read (which says nothing of its content); from `write`: `storage_unavailable`.
 */
export function createDurableJsonFile<T>(options: DurableJsonFileOptions<T>): DurableJsonFile<T> {
  const { path, decode, encode, clock, fs = systemFiles, makeRoom = async () => false } = options
  const name = basename(path)
  const copyPath = `${path}.bak`
  const notices: string[] = []
  let running: Promise<void> | null = null
  let waiting: Promise<void> | null = null
  let nextText = ''

  async function examine(file: string): Promise<Examined<T>> {
    let bytes: Buffer
    try {
      bytes = await fs.readFile(file)
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return { state: 'absent', problem: 'it is missing' }
      throw unavailable(`${file} cannot be read`, error)
    }
    try {
      const text = decodeUtf8(bytes)
      return { state: 'good', data: decode(parseJson(text), text) }
    } catch (error) {
      if (error instanceof DamagedContent) return { state: 'damaged', problem: error.message }
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
        detail: `${path} cannot be used: ${file.problem}. Neither can its last good copy, ${copyPath}: ${copy.problem}. Both are left as they are.`,
      })
    }
    notices.push(await recover(file))
    return copy.data
  }

  async function recover(file: { state: 'absent' | 'damaged'; problem: string }): Promise<string> {
    try {
      let where = ''
      if (file.state === 'damaged') {
        // Colons are not allowed in names on Windows.
        const aside = await freeName(
          `${path}.damaged-${new Date(clock()).toISOString().replaceAll(':', '-')}`,
          fs,
        )
        await fs.rename(path, aside)
        where = ` It is kept as ${basename(aside)}.`
      }
      await linkOrCopy(copyPath, path, fs)
      await syncFolder(dirname(path), fs)
      return `${name} could not be used: ${file.problem}.${where} The last good copy, from before the last change, is used.`
    } catch (error) {
      throw unavailable(
        `${path} cannot be used (${file.problem}), nor put back from its last good copy`,
        error,
      )
    }
  }

  function start(): Promise<void> {
    const text = nextText
    waiting = null
    running = replaceDurably(path, copyPath, text, fs)
      .catch(async error => {
        if (!isDiskFull(error) || !(await makeRoom())) throw error
        await replaceDurably(path, copyPath, text, fs)
      })
      .catch(error => {
        throw unavailable(`${name} cannot be written`, error)
      })
      .finally(() => {
        if (waiting === null) running = null
      })
    return running
  }

  function write(data: T): Promise<void> {
    nextText = `${JSON.stringify(encode(data), null, 2)}\n`
    if (running === null) return start()
    // A write that fails is its own caller's concern; the next one goes on.
    waiting ??= running.catch(() => {}).then(start)
    return waiting
  }

  return { notices, read, write }
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes) // drops a BOM, which some editors add
  } catch {
    throw new DamagedContent('it is not UTF-8 text')
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === '') throw new DamagedContent('it is empty')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new DamagedContent(`it is not valid JSON (${withoutQuotation(messageOf(error), text)})`)
  }
}

// V8 quotes 10 characters on either side of the one it did not expect.
const quotedBefore = 10
const quotation = /, (\.{3})?"([\s\S]*)"(\.{3})? is not valid JSON$/

/** What is wrong and near which line; without the piece of the text that the parser quotes, as it may be a secret. */
function withoutQuotation(message: string, text: string): string {
  const found = quotation.exec(message)
  if (found === null) return message
  const at = text.indexOf(found[2] ?? '') + (found[1] === undefined ? 0 : quotedBefore)
  return `${message.slice(0, found.index)} near line ${text.slice(0, at).split('\n').length}`
}

function unavailable(what: string, error: unknown): ServiceError {
  return new ServiceError('storage_unavailable', { detail: `${what}: ${messageOf(error)}`, cause: error })
}
