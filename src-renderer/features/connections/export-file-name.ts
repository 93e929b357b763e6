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
