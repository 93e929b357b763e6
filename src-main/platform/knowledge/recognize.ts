import { fileTypeFromBuffer } from 'file-type'
import { ServiceError } from '#shared/errors.ts'

/** Contents that can be read; `text` is TXT or CSV. */
export type Recognized = 'pdf' | 'docx' | 'text'

/** Where a file may begin: programs put line breaks or the head of a message before it. */
const maxBefore = 1024

/**
 * Recognizes a file by its contents. The name only helps to tell what to do with one that cannot be read.
 *
 * @returns its bytes without what precedes a PDF or a DOCX.
 * @throws ServiceError `empty_file`, `encrypted_file`, `unsupported_file`.
 */
export async function recognize(bytes: Buffer, name: string): Promise<{ type: Recognized; bytes: Buffer }> {
  if (bytes.length === 0) throw new ServiceError('empty_file')
  const found = await typeOf(bytes)
  const trimmed = bytes.subarray(blankBefore(bytes))
  const type = found ?? (trimmed.length < bytes.length ? await typeOf(trimmed) : undefined)
  if (type?.ext === 'docx') return { type: 'docx', bytes: found === undefined ? trimmed : bytes }
  const pdf = type === undefined || type.ext === 'pdf' ? pdfStart(bytes, name) : -1
  if (pdf >= 0) return { type: 'pdf', bytes: bytes.subarray(pdf) }
  if (type?.ext === 'cfb' && bytes.includes(encryptedPackage)) throw new ServiceError('encrypted_file')
  if (type === undefined) {
    const markup = markupOf(startText(bytes))
    if (markup !== null) throw unsupported(markup)
    return { type: 'text', bytes }
  }
  const ending = endingOf(name)
  // A Pages document is a ZIP archive, which file-type does not look into.
  const kind = type.ext === 'zip' && ending in iWork ? iWork[ending] : kindOf(type.ext, type.mime)
  throw unsupported(kind ?? [`Files of the type ${type.ext.toUpperCase()}`, asText])
}

async function typeOf(bytes: Buffer) {
  const type = await fileTypeFromBuffer(bytes).catch(() => undefined)
  // Texts can begin with BM, MZ or ID3 too, but these files are never without control characters.
  const isBinary = /^(?:image\/(?!svg)|audio\/|video\/|application\/x-msdownload)/.test(type?.mime ?? '')
  return isBinary && isClean(bytes.subarray(0, 4096)) ? undefined : type
}

const isClean = (bytes: Buffer) => !bytes.some(byte => byte < 0x20 && (byte < 0x09 || byte > 0x0d))

/** Returns how many bytes of white space and byte order marks precede the contents. */
function blankBefore(bytes: Buffer): number {
  const [blank = ''] = /^(?:[\s\0]|\xef\xbb\xbf)*/.exec(bytes.toString('latin1', 0, maxBefore)) ?? []
  return blank.length
}

/** Returns where a PDF begins in the first 1,024 bytes, as other readers accept it; -1 if it does not. */
function pdfStart(bytes: Buffer, name: string): number {
  const text = bytes.toString('latin1', 0, 2 * maxBefore)
  const at = text.slice(0, maxBefore + '%PDF-'.length).indexOf('%PDF-')
  // A text may be about PDF. In a PDF, an object follows.
  const isOne =
    at <= blankBefore(bytes) || endingOf(name) === 'pdf' || /\d+\s+\d+\s+obj\b/.test(text.slice(at))
  return at >= 0 && isOne ? at : -1
}

/** Returns the beginning of a text in UTF-8 or UTF-16. Its letters do not matter. */
function startText(bytes: Buffer): string {
  return bytes
    .toString('latin1', 0, 8192)
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '')
}

/** Returns the format of a text that is written in markup, which would become knowledge; null for any other text. */
function markupOf(start: string): Kind | null {
  if (/^\s*(?:<!--[\s\S]{0,2000}-->\s*)?(?:<!doctype\s+html|<html)\b/i.test(start)) return kinds.html
  // Some programs write a web archive and name it DOC.
  if (
    /^\s*(?:[\w-]+:[^\n]*\n)*mime-version:/i.test(start) &&
    /content-type:\s*multipart\/related/i.test(start)
  )
    return kinds.html
  if (/^\s*\{\\rtf/.test(start)) return kinds.text
  if (/^\s*<\?xml\b/.test(start)) return ['XML files', asText]
  return /^\s*%!PS/.test(start) ? ['PostScript files', asPdf] : null
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
