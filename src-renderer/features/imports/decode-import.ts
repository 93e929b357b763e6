import { maxImportBytes } from '#shared/model/import-document.ts'
import { binarySize } from '../../ui/format.ts'

export type Decoded = { readonly text: string } | { readonly refused: string }

/** Why a file of this size is not read at all; null where it may be. */
export function sizeRefusal(fileName: string, bytes: number): string | null {
  if (bytes === 0) return `${fileName} is empty.`
  if (bytes <= maxImportBytes) return null
  return tooLargeWords(fileName)
}

/** What to do with something that is larger than an import may be. */
export function tooLargeWords(what: string): string {
  return `${what} is larger than ${binarySize(maxImportBytes)}, the most that an import takes. Split it into several.`
}

/** Whether a text is larger than an import may be. */
export function isTooLarge(text: string): boolean {
  // A UTF-16 unit takes at most three bytes: only long texts have to be measured.
  return text.length * 3 > maxImportBytes && new TextEncoder().encode(text).length > maxImportBytes
}

/** Reads a file's bytes as the text they are, unchanged, or says why they are none that can be imported. */
export function decodeImport(fileName: string, bytes: Uint8Array): Decoded {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return { refused: `${fileName} is written in UTF-16. Save it as UTF-8.` }
  if (bytes.includes(0))
    return {
      refused: `${fileName} is not a text. Choose a JSON or YAML file, or a text with a curl command.`,
    }
  try {
    // A byte order mark stays: the service names it, as it does for every other way in.
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { refused: `${fileName} is not UTF-8. Save it as UTF-8.` }
  }
}
