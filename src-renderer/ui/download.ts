/** Saves a JSON value as a file. */
export function downloadJson(fileName: string, value: unknown): void {
  downloadText(fileName, `${JSON.stringify(value, null, 2)}\n`, 'application/json')
}

/** Saves a text as a file. */
export const downloadText = (fileName: string, text: string, type: string) =>
  downloadParts(fileName, [text], type)

/** Saves a text in parts as a file. */
export function downloadParts(fileName: string, parts: string[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }))
  Object.assign(document.createElement('a'), { href: url, download: fileName }).click()
  // The click has started the download, which no longer needs the URL.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}
