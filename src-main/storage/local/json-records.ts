import { randomUUID } from 'node:crypto'

/** The bytes of a record in a file: from its opening brace up to behind the closing one. */
export type Range = { readonly from: number; readonly to: number }

type FoundRecord = { readonly range: Range; parse(): unknown }

export type SplitJson = {
  /** The JSON value, with something else in place of each record. */
  readonly rest: unknown
  /** Returns the record in whose place an item of `rest` is. Its `parse` throws SyntaxError. */
  recordOf(item: unknown): FoundRecord | undefined
}

const opening = Buffer.from('\n    {')
const closing = Buffer.from('\n    }')

/**
 * Splits a file as `JSON.stringify(value, null, 2)` lays it out into the objects of its lists, so that each can be parsed
 * alone and found again. Each part is valid JSON only if the whole is, so no other layout is misread: a split or a
 * record then fails, or has no records. Returns null if it fails.
 *
 * @throws TypeError if the bytes outside of the records are not UTF-8.
 */
export function splitRecords(bytes: Buffer): SplitJson | null {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const text = ({ from, to }: Range) => decoder.decode(bytes.subarray(from, to))
  // No text in the file can be equal to a place.
  const mark = randomUUID()
  const records = new Map<string, Range>()
  let rest = ''
  let at = 0
  for (let open = bytes.indexOf(opening); open !== -1; open = bytes.indexOf(opening, at)) {
    const from = open + opening.length - 1
    const close = bytes.indexOf(closing, from)
    if (close === -1) return null
    const place = `${mark}/${records.size}`
    const range = { from, to: close + closing.length }
    records.set(place, range)
    rest += `${text({ from: at, to: from })}"${place}"`
    at = range.to
  }
  rest += text({ from: at, to: bytes.length })
  try {
    return { rest: JSON.parse(rest), recordOf }
  } catch {
    return null
  }

  function recordOf(item: unknown): FoundRecord | undefined {
    const range = typeof item === 'string' ? records.get(item) : undefined
    return range && { range, parse: () => JSON.parse(text(range)) }
  }
}
