import { fileTypeFromBuffer } from 'file-type'
import { ServiceError } from '#shared/errors.ts'

/** Contents that can be read; `text` is TXT or CSV. */
export type Recognized = 'pdf' | 'docx' | 'text'

/**
 * Recognizes a file by its contents. The name only helps to tell what to do with one that cannot be read.
 *
 * @throws ServiceError `empty_file`, `encrypted_file`, `unsupported_file`.
 */
export async function recognize(bytes: Buffer, name: string): Promise<Recognized> {
  if (bytes.length === 0) throw new ServiceError('empty_file')
  const type = await fileTypeFromBuffer(bytes).catch(() => undefined)
  if (type?.ext === 'pdf' || type?.ext === 'docx') return type.ext
  if (type?.ext === 'cfb' && bytes.includes(encryptedPackage)) throw new ServiceError('encrypted_file')
  const start = bytes.subarray(0, 4096).toString('latin1')
  if (type === undefined && /^\s*(?:<!--[\s\S]{0,2000}-->\s*)?(?:<!doctype\s+html|<html)\b/i.test(start))
    throw unsupported(kinds.html)
  if (type === undefined) return 'text'
  const ending = endingOf(name)
  // A Pages document is a ZIP archive, which file-type does not look into.
  const kind = type.ext === 'zip' && ending in iWork ? iWork[ending] : kindOf(type.ext, type.mime)
  throw unsupported(kind ?? [`Files of the type ${type.ext.toUpperCase()}`, asText])
}

/** Returns the ending of a name in lower case; empty for a name without one. */
export function endingOf(name: string): string {
  return /\.([^.\s]{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? ''
}

/** The stream of an Office document that is encrypted; the names are in UTF-16. */
const encryptedPackage = Buffer.from('EncryptedPackage', 'utf16le')

type Kind = readonly [what: string, advice: string]

const asText = 'Save the text as PDF, DOCX, TXT or CSV, then add the new file.'
const asPdf = 'Save it as PDF, then add the new file.'

const iWork: Readonly<Record<string, Kind>> = {
  pages: ['Pages documents', 'In Pages, choose File, Export To, PDF, then add the new file.'],
  numbers: ['Numbers documents', 'In Numbers, choose File, Export To, CSV, then add the new file.'],
  key: ['Keynote presentations', 'In Keynote, choose File, Export To, PDF, then add the new file.'],
}

const kinds = {
  html: ['Web pages', 'Print the page to a PDF, then add the new file.'],
  oldOffice: [
    'Documents of older Office programs',
    'Open it, save it as DOCX or PDF, then add the new file.',
  ],
  word: ['Word templates and documents with macros', 'In Word, save it as DOCX, then add the new file.'],
  sheet: ['Spreadsheets', 'Save each sheet as CSV, then add the new file.'],
  slides: ['Presentations', asPdf],
  text: ['Documents of this type', 'Save it as DOCX or PDF, then add the new file.'],
  picture: ['Pictures', 'Add the text as TXT or DOCX.'],
  sound: ['Recordings', 'Add the spoken text as TXT or DOCX.'],
  archive: ['Archives', 'Unpack it, and add its files.'],
  program: ['Programs', asText],
} as const satisfies Record<string, Kind>

const byEnding: Readonly<Record<string, Kind>> = {
  cfb: kinds.oldOffice,
  ...iWork,
  ...Object.fromEntries(['docm', 'dotx', 'dotm'].map(ending => [ending, kinds.word])),
  ...Object.fromEntries(['xlsx', 'xlsm', 'xltx', 'xltm', 'ods', 'ots'].map(one => [one, kinds.sheet])),
  ...Object.fromEntries(
    ['pptx', 'pptm', 'potx', 'potm', 'ppsx', 'odp', 'otp'].map(one => [one, kinds.slides]),
  ),
  ...Object.fromEntries(['rtf', 'odt', 'ott', 'epub', 'mobi'].map(one => [one, kinds.text])),
  ...Object.fromEntries(
    ['zip', 'gz', 'tar', 'tar.gz', '7z', 'rar', 'bz2', 'xz', 'zst', 'lz4', 'jar', 'apk'].map(one => [
      one,
      kinds.archive,
    ]),
  ),
  ...Object.fromEntries(
    ['exe', 'elf', 'macho', 'wasm', 'class', 'deb', 'rpm', 'msi'].map(one => [one, kinds.program]),
  ),
}

function kindOf(ending: string, mime: string): Kind | undefined {
  if (mime.startsWith('image/')) return kinds.picture
  if (mime.startsWith('audio/') || mime.startsWith('video/')) return kinds.sound
  return Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined
}

function unsupported([what, advice]: Kind): ServiceError {
  return new ServiceError('unsupported_file', { detail: `${what} cannot be read. ${advice}` })
}
