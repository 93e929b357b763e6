const maxCharacters = 120

/** Returns a name without what `copyName` adds. */
export const bareName = (name: string) => name.replace(/ \(copy(?: \d+)?\)$/, '')

/** Returns the name of a copy, of at most 120 characters: “Acme (copy)”, then “Acme (copy 2)”. */
export function copyName(name: string, taken: Iterable<string>): string {
  const names = new Set(taken)
  const bare = bareName(name)
  for (let number = 1; ; number++) {
    const end = number === 1 ? ' (copy)' : ` (copy ${number})`
    const candidate = [...bare].slice(0, maxCharacters - end.length).join('') + end
    if (!names.has(candidate)) return candidate
  }
}

/** Returns the file name of an export, without characters that file systems do not accept. */
export function exportFileName(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 80)
  return `${slug || 'connection'}.json`
}
