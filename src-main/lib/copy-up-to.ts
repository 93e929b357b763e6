/** Returns the first `most` UTF-16 units as a copy: a slice would keep the whole text alive, which can have 1 MiB. */
export function copyUpTo(text: string, most: number): string {
  return Buffer.from(text.slice(0, most), 'utf16le').toString('utf16le')
}
