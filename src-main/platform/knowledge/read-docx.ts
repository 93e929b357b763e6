import mammoth from 'mammoth'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { ServiceError } from '#shared/errors.ts'
import type { KnowledgeFacts } from '#shared/model/platform/knowledge.ts'
import type { Passages } from './passages.ts'

const maxEntries = 5000
/** Of all XML parts together, unpacked. */
const maxXmlBytes = 64 * 1024 * 1024
const maxDepth = 500

/**
 * Reads the paragraphs of a Word document. Mammoth would unpack any size, so the parts are unpacked and checked first.
 *
 * @throws ServiceError `damaged_file`, `file_too_complex`.
 */
export async function readDocx(
  bytes: Buffer,
  passages: Passages,
): Promise<Pick<KnowledgeFacts, 'detail' | 'pages'>> {
  const { application, pages } = await checkParts(bytes)
  const { value } = await mammoth.extractRawText({ buffer: bytes }).catch(cause => {
    throw damaged(cause)
  })
  for (const [index, paragraph] of value.split('\n\n').entries())
    if (!passages.add(index + 1, paragraph)) break
  return { detail: application === null ? 'DOCX' : `DOCX, saved by ${application}`, pages }
}

async function checkParts(bytes: Buffer) {
  const zip = await fromBufferPromise(bytes).catch(cause => {
    throw damaged(cause)
  })
  if (zip.entryCount > maxEntries) throw tooComplex(`The document has ${zip.entryCount} parts.`)
  let room = maxXmlBytes
  let properties = ''
  for await (const entry of entriesOf(zip)) {
    if (entry.isEncrypted()) throw new ServiceError('encrypted_file')
    if (!/\.(?:xml|rels)$/i.test(entry.fileName)) continue
    room -= entry.uncompressedSize
    if (room < 0) throw tooComplex('Unpacked, the document has more than 64 MiB of text and layout.')
    const xml = await readEntry(zip, entry)
    // Word never writes a DOCTYPE: it is the beginning of an entity bomb.
    if (xml.includes('<!DOCTYPE') || xml.includes('<!ENTITY'))
      throw tooComplex(
        'The document defines XML entities. Save it again with Word or LibreOffice, then add the new file.',
      )
    if (isDeep(xml)) throw tooComplex(`The document is nested deeper than ${maxDepth} levels.`)
    if (entry.fileName === 'docProps/app.xml') properties = xml
  }
  const pages = Number(/<(?:\w+:)?Pages>(\d{1,6})</.exec(properties)?.[1] ?? 0)
  const application = /<(?:\w+:)?Application>([^<&]{1,200})</.exec(properties)?.[1] ?? null
  return { application: application?.split('$')[0]?.split('/')[0] ?? null, pages: pages === 0 ? null : pages }
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  try {
    yield* zip.eachEntry()
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : damaged(cause)
  }
}

/** Unpacks an entry. yauzl stops as soon as it gets larger than it says. */
async function readEntry(zip: ZipFile, entry: Entry): Promise<string> {
  try {
    const pieces: Buffer[] = []
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece)
    return Buffer.concat(pieces).toString('utf8')
  } catch (cause) {
    throw damaged(cause)
  }
}

/** Counts tags without parsing: the parser would exhaust the stack. No tag contains `<`, so each is looked at once. */
function isDeep(xml: string): boolean {
  let depth = 0
  for (const [tag] of xml.matchAll(/<(?:\/[^<>]*|[^?!/<>][^<>]*)>/g)) {
    if (tag.startsWith('</')) depth--
    else if (!tag.endsWith('/>')) depth++
    if (depth > maxDepth) return true
  }
  return false
}

const damaged = (cause: unknown) =>
  new ServiceError('damaged_file', {
    detail: 'The document is damaged. Open it in Word or LibreOffice, save it again, then add the new file.',
    cause,
  })

const tooComplex = (detail: string) => new ServiceError('file_too_complex', { detail })
