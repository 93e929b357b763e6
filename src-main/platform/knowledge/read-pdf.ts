import { getDocumentProxy } from 'unpdf'
import { ServiceError } from '#shared/errors.ts'
import { type KnowledgeFacts, maxKnowledgePages } from '#shared/model/platform/knowledge.ts'
import type { Passages } from './passages.ts'

type Document = Awaited<ReturnType<typeof getDocumentProxy>>
type Item = Awaited<ReturnType<Awaited<ReturnType<Document['getPage']>>['getTextContent']>>['items'][number]

/**
 * Reads the text of a PDF, page by page.
 *
 * @throws ServiceError `damaged_file`, `encrypted_file`, `file_too_complex`.
 */
export async function readPdf(
  bytes: Buffer,
  passages: Passages,
): Promise<Pick<KnowledgeFacts, 'detail' | 'pages' | 'warnings'>> {
  // pdf.js repairs a file without its end, silently without the pages that are missing.
  if (!bytes.subarray(-2048).includes('%%EOF'))
    throw damaged('The end of the PDF is missing. Copy or export it again, then add the new file.')
  // A copy, because pdf.js may detach the buffer.
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }).catch(cause => {
    if (cause instanceof Error && cause.name === 'PasswordException')
      throw new ServiceError('encrypted_file', { cause })
    throw damaged('The PDF is damaged. Open it, save it again, then add the new file.', cause)
  })
  const pages = document.numPages
  if (pages > maxKnowledgePages)
    throw new ServiceError('file_too_complex', {
      detail: `The PDF has ${pages.toLocaleString('en')} pages. Split it: a file may have 5,000.`,
    })
  let withText = 0
  let withoutText = 0
  for (let number = 1; number <= pages; number++) {
    const { hasText, hasRoom } = await readPage(document, number, passages)
    if (hasText) withText++
    else withoutText++
    if (!hasRoom) break
  }
  const message = `No text on ${withoutText} of ${pages} pages`
  // A file without any text has its own warning.
  const warnings = withText > 0 && withoutText > 0 ? [{ code: 'pages_without_text' as const, message }] : []
  const { info } = await document.getMetadata().catch(() => ({ info: {} }))
  const version: unknown = Reflect.get(info, 'PDFFormatVersion')
  return { detail: typeof version === 'string' ? `PDF ${version}` : 'PDF', pages, warnings }
}

/** Returns whether the page has text, and whether there is room for another page. */
async function readPage(document: Document, number: number, passages: Passages) {
  try {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    let hasRoom = true
    const paragraphs = paragraphsOf(items)
    for (const paragraph of paragraphs) hasRoom = passages.add(number, paragraph)
    passages.end()
    page.cleanup()
    return { hasText: paragraphs.some(paragraph => paragraph.trim() !== ''), hasRoom }
  } catch (cause) {
    throw damaged(`Page ${number} of the PDF is damaged. Save the PDF again, then add the new file.`, cause)
  }
}

/** The hyphen of a word that goes on in the next line. */
const splitWord = /(?<=\p{L}\p{L})[-\u00ad\u2010]\n(?=\p{Ll})/gu

/** Joins the texts of a page to lines, and its lines to paragraphs: those are more than a line apart. */
function paragraphsOf(items: readonly Item[]): string[] {
  let text = ''
  let baseline: number | null = null
  let height = 0
  for (const item of items) {
    if (!('str' in item)) continue
    const y: unknown = item.transform[5]
    if (item.str !== '' && typeof y === 'number') {
      if (
        text.endsWith('\n') &&
        baseline !== null &&
        Math.abs(baseline - y) > 1.8 * Math.max(height, item.height)
      )
        text += '\n'
      baseline = y
      height = item.height
    }
    text += item.str
    if (item.hasEOL) text += '\n'
  }
  return text.replace(splitWord, '').split(/\n[ \t]*\n/)
}

const damaged = (detail: string, cause?: unknown) => new ServiceError('damaged_file', { detail, cause })
