/** A text to look for, and how many characters on either side belong to it where they are base64. */
export type Needle = { readonly text: string; readonly before: 0 | 1; readonly after: 0 | 1 }
/** The characters of a text from one index up to another. */
export type Span = { readonly from: number; to: number }

/** Characters that are compared at once; and the size of the table, a power of two, by their hash. */
const block = 3
const tableSize = 1 << 16
const maxWindow = 255

/**
 * Makes a search for many texts at once (Wu–Manber): it looks at the last characters of a window and moves on by
 * as many as no text can begin within. Its time grows with the text, hardly with the number of needles.
 *
 * @param needles of at least 3 characters each.
 * @returns the spans of a text that hold a needle, in order; those that overlap are one.
 */
export function needleFinder(needles: readonly Needle[]): (text: string) => Span[] {
  const window = needles.reduce((least, { text }) => Math.min(least, text.length), maxWindow)
  const shifts = new Uint8Array(tableSize).fill(window - block + 1)
  const endings = new Map<number, Needle[]>()
  for (const needle of needles) {
    for (let end = block; end <= window; end++) {
      const hash = hashAt(needle.text, end - block)
      shifts[hash] = Math.min(shifts[hash] ?? 0, window - end)
    }
    const hash = hashAt(needle.text, window - block)
    endings.set(hash, [...(endings.get(hash) ?? []), needle])
  }
  return text => {
    const spans: Span[] = []
    for (let at = window - block; at + block <= text.length; ) {
      const hash = hashAt(text, at)
      const shift = shifts[hash] ?? 1
      at += Math.max(shift, 1)
      if (shift > 0) continue
      const from = at - 1 - (window - block)
      for (const needle of endings.get(hash) ?? [])
        if (isAt(needle.text, text, from)) addSpan(spans, spanOf(needle, text, from))
    }
    return spans
  }
}

/** Compares the last character first: what goes wrong in a run of one character goes wrong at its end. */
function isAt(needle: string, text: string, from: number): boolean {
  const last = needle.length - 1
  return text.charCodeAt(from + last) === needle.charCodeAt(last) && text.startsWith(needle, from)
}

/** Adds a span that begins no earlier than a character before the last one. */
export function addSpan(spans: Span[], span: Span): void {
  const last = spans.at(-1)
  if (last !== undefined && span.from < last.to) last.to = Math.max(last.to, span.to)
  else spans.push(span)
}

function spanOf({ text: { length }, before, after }: Needle, text: string, from: number): Span {
  const to = from + length
  return {
    from: before === 1 && isBase64(text, from - 1) ? from - 1 : from,
    to: after === 1 && isBase64(text, to) ? to + 1 : to,
  }
}

function isBase64(text: string, at: number): boolean {
  return /[A-Za-z0-9+/_-]/.test(text.charAt(at))
}

function hashAt(text: string, at: number): number {
  const hash = (text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) * 31 + text.charCodeAt(at + 2)
  return hash & (tableSize - 1)
}
