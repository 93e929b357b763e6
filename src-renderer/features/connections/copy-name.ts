const maxCharacters = 120

/** What a copy of a connection is called: “Acme (copy)”, then “Acme (copy 2)”, within a name's 120 characters. */
export function copyName(name: string, taken: Iterable<string>): string {
  const names = new Set(taken)
  const bare = name.replace(/ \(copy(?: \d+)?\)$/, '')
  for (let number = 1; ; number++) {
    const end = number === 1 ? ' (copy)' : ` (copy ${number})`
    const candidate = [...bare].slice(0, maxCharacters - end.length).join('') + end
    if (!names.has(candidate)) return candidate
  }
}

/** What an export of a connection is called on disk: its name, less what file systems dislike. */
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
