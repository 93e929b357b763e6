import { maxImportBytes } from '#shared/model/import-document.ts'
import { binarySize } from '../../ui/format.ts'

export type Decoded = { readonly text: string } | { readonly refused: string }

/** Returns why a file of this size is not read, or null if it is read. */
export function sizeRefusal(fileName: string, bytes: number): string | null {
  if (bytes === 0) return `${fileName} is empty.`
  return bytes > maxImportBytes ? tooLargeWords(fileName) : null
}

/** Says what to do with something that is too large to import. */
export function tooLargeWords(what: string): string {
  return `${what} is larger than ${binarySize(maxImportBytes)}, the limit of an import. Split it into several.`
}

/** Returns whether a text is too large to import. */
export function isTooLarge(text: string): boolean {
  // A UTF-16 unit has at most three bytes in UTF-8, so only long texts have to be encoded.
  return text.length * 3 > maxImportBytes && new TextEncoder().encode(text).length > maxImportBytes
}

/** Decodes a file as UTF-8, or says why it cannot be imported. */
export function decodeImport(fileName: string, bytes: Uint8Array): Decoded {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return { refused: `${fileName} is written in UTF-16. Save it as UTF-8.` }
  if (bytes.includes(0))
    return {
      refused: `${fileName} is not a text file. Choose a JSON or YAML file, or a text with a curl command.`,
    }
  try {
    // A byte order mark stays, because the service reports it.
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { refused: `${fileName} is not UTF-8. Save it as UTF-8.` }
  }
}
