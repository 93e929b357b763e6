/** Saves a JSON value as a file. */
export function downloadJson(fileName: string, value: unknown): void {
  const blob = new Blob([`${JSON.stringify(value, null, 2)}\n`], { type: 'application/json' })
  const url = URL.createObjectURL(blob)
  Object.assign(document.createElement('a'), { href: url, download: fileName }).click()
  // The click has started the download, which no longer needs the URL.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}
