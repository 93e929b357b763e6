const names: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Returns how many characters two texts have in common at their start. */
export function commonStart(one: string, other: string): number {
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) at++
  return at
}

/** Returns a text with its line breaks and other control characters written out, so that a reader sees them. */
export function visible(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    /[\x00-\x1f\x7f\ufeff]/g,
    unit => names[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
