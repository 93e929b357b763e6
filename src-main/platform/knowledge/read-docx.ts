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
    checkMarkup(xml)
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

/** How comments, CDATA sections and processing instructions begin and end. */
const sections = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const

/**
 * Checks a part before it is parsed: nested tags would exhaust the parser's stack, and tags that do not end take
 * quadratic time. Each character is looked at once, because the first tag that does not end is an error.
 *
 * @throws ServiceError `damaged_file`, `file_too_complex`.
 */
function checkMarkup(xml: string): void {
  let depth = 0
  for (let end = 0, at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', end)) {
    const section = sections.find(([opening]) => xml.startsWith(opening, at))
    const [opening, closing] = section ?? ['<', '>']
    const closes = xml.indexOf(closing, at + opening.length)
    if (closes === -1) throw damaged('A tag has no end.')
    end = closes + closing.length
    if (section !== undefined) continue
    const tag = xml.slice(at + 1, closes)
    if (tag.startsWith('!') || tag.includes('<')) throw damaged('A tag has no end.')
    if (tag.startsWith('/')) depth--
    else if (!tag.endsWith('/')) depth++
    if (depth > maxDepth) throw tooComplex(`The document is nested deeper than ${maxDepth} levels.`)
  }
}

const damaged = (cause: unknown) =>
  new ServiceError('damaged_file', {
    detail: 'The document is damaged. Open it in Word or LibreOffice, save it again, then add the new file.',
    cause,
  })

const tooComplex = (detail: string) => new ServiceError('file_too_complex', { detail })
