/** The text of a document: a string, or bytes in memory that threads share. */
export type DocumentText = string | SharedText

/** Passing a string of 16 MiB to another thread takes tens of milliseconds; passing these bytes takes none. */
export type SharedText = {
  readonly bytes: Uint8Array
  readonly encoding: 'utf8' | 'utf16le'
}

/** Returns a text as bytes in memory that threads share. */
export function shareText(text: string): SharedText {
  // UTF-8 has no unpaired surrogates.
  const encoding = text.isWellFormed() ? 'utf8' : 'utf16le'
  const bytes = Buffer.from(new SharedArrayBuffer(Buffer.byteLength(text, encoding)))
  bytes.write(text, encoding)
  return { bytes, encoding }
}

export function textOf(document: DocumentText): string {
  if (typeof document === 'string') return document
  const { buffer, byteOffset, length } = document.bytes
  return Buffer.from(buffer, byteOffset, length).toString(document.encoding)
}
