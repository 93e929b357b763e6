/** Marks a text that has escapes. */
const mark = '\x01'

/**
 * Returns a text in a form that PostgreSQL returns unchanged: it cannot hold U+0000 and lone surrogates. Different texts
 * stay different.
 */
export function toStored(text: string): string {
  if (text.isWellFormed() && !text.includes('\0') && !text.startsWith(mark)) return text
  return mark + escapedPart(text)
}

/** Returns null for a text that is not there. */
export function toStoredOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : toStored(text)
}

/** Returns a part of a text as a stored text with escapes has it. */
export function escapedPart(text: string): string {
  let escaped = ''
  // Surrogates that form a pair are escaped as well.
  for (const unit of text.split('')) escaped += isEscaped(unit.charCodeAt(0)) ? `\\${hex(unit)}` : unit
  return escaped
}

const isEscaped = (code: number) => code === 0 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff)
const hex = (unit: string) => unit.charCodeAt(0).toString(16).padStart(4, '0')

/** Returns the text that `toStored` has taken. */
export function fromStored(text: string): string {
  if (!text.startsWith(mark)) return text
  return text
    .slice(1)
    .replace(/\\([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
