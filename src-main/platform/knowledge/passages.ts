import { appendFileSync, closeSync, openSync } from 'node:fs'
import { unavailable } from '#main/storage/unavailable.ts'

/** A passage grows to about this many characters, and is at most twice as long. */
const usual = 1000

export type Passages = {
  /**
   * Adds the text of a page, paragraph, line or row. Returns whether there is room for more.
   *
   * @param head the names of the columns: a passage that begins with a row has them above it.
   */
  add(place: number, text: string, head?: string): boolean
  /** Ends a passage: the next text begins another one. */
  end(least?: number): void
  /** Closes the file. Returns the characters that were added, and whether some were left out. */
  close(): { readonly characters: number; readonly isCut: boolean }
  /** Closes the file of a text that cannot be read. */
  abandon(): void
}

/**
 * Writes passages to a file, one in a line, as JSON `[first, last, text]`. Short neighbours become one passage.
 *
 * @throws ServiceError `storage_unavailable`, as `add`, `end` and `close` do.
 */
export function writePassages(path: string, most: number): Passages {
  const file = onDisk(() => openSync(path, 'wx', 0o600))
  let characters = 0
  let isCut = false
  let open: { first: number; last: number; text: string } | null = null

  function end(least = 0): void {
    if (open === null || open.text.length < least) return
    const line = `${JSON.stringify([open.first, open.last, open.text])}\n`
    // Not writeSync, which writes a part of the line if the disk has no room for the rest.
    onDisk(() => appendFileSync(file, line))
    open = null
  }

  return {
    add(place, text, head = '') {
      for (const part of partsOf(clean(text))) {
        const room = most - characters
        if (part.length > room) isCut = true
        const taken = part.slice(0, room).toWellFormed()
        if (taken === '') break
        characters += taken.length
        if (open !== null && open.text.length + taken.length > usual) end()
        open = {
          first: open?.first ?? place,
          last: place,
          text: [open?.text ?? head, taken].filter(one => one !== '').join('\n'),
        }
      }
      return !isCut
    },
    end,
    close() {
      try {
        end()
      } finally {
        closeSync(file)
      }
      return { characters, isCut }
    },
    abandon: () => closeSync(file),
  }
}

function onDisk<Result>(act: () => Result): Result {
  try {
    return act()
  } catch (cause) {
    throw unavailable('The text of the file could not be stored', cause)
  }
}

/**
 * Replaces control characters, which searches use as marks, and removes the spaces around a text. Marks that nobody
 * sees, such as soft hyphens, would keep searches from finding their words.
 */
function clean(text: string): string {
  return text
    .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, ' ')
    .replace(/[\u00ad\u2060\ufeff]/g, '')
    .trim()
    .toWellFormed()
}

/** Cuts a long text at spaces. */
function* partsOf(text: string): Generator<string> {
  let start = 0
  while (text.length - start > 2 * usual) {
    const part = text.slice(start, start + 2 * usual)
    const space = Math.max(part.lastIndexOf('\n'), part.lastIndexOf(' '))
    const length = space > usual ? space : part.length
    yield part.slice(0, length).trim()
    start += length
  }
  const rest = text.slice(start).trim()
  if (rest !== '') yield rest
}
