import type { KnowledgeFacts } from '#shared/model/platform/knowledge.ts'
import type { Passages } from '../passages.ts'
import { leftOut } from './left-out.ts'
import { createLists } from './lists.ts'
import { openPackage, type Package, type Relation } from './package.ts'
import { createStory, type StoryParts } from './story.ts'
import { createStyles } from './styles.ts'
import { damaged, isOn, type XmlHandler } from './xml.ts'

/**
 * Reads a Word document as its readers see it: without hidden and deleted text, and without comments. A row of a table
 * is one line. Notes follow their paragraph. Headers and footers come last, each once. Warns of parts that are not read.
 *
 * @throws ServiceError `damaged_file`, `encrypted_file`, `file_too_complex`.
 */
export async function readDocx(
  bytes: Buffer,
  passages: Passages,
): Promise<Pick<KnowledgeFacts, 'detail' | 'pages' | 'warnings'>> {
  const document = await openPackage(bytes)
  const ofDocument = await document.relations('')
  const main = ofDocument.find(({ type }) => type === 'officeDocument')?.target ?? 'word/document.xml'
  const related = await document.relations(main)
  const { styles, handler: ofStyles } = createStyles()
  const { nextLabel, handler: ofLists } = createLists()
  const story = { styles, nextLabel }
  let hasEvenMargins = false
  const notes = new Map<string, string>()
  const handlers: Readonly<Record<string, XmlHandler>> = {
    styles: ofStyles,
    numbering: ofLists,
    settings: {
      open(name, attribute) {
        if (name === 'w:evenAndOddHeaders') hasEvenMargins = isOn(attribute('val'))
      },
    },
    footnotes: readNotes(story, notes),
    endnotes: readNotes(story, notes),
  }
  /** The relations of the parts that are read. */
  const inParts = [...related]
  // In this order, because notes have styles and lists.
  for (const [type, handler] of Object.entries(handlers)) {
    const part = related.find(relation => relation.type === type)
    if (part === undefined) continue
    await document.read(part.target, handler)
    if (type.endsWith('notes')) inParts.push(...(await document.relations(part.target)))
  }

  let count = 0
  let hasRoom = true
  const margins = new Set<string>()
  const isRead = await document.read(
    main,
    createStory({
      ...story,
      notes,
      links: new Map(related.filter(isLink).map(({ id, target }) => [id, target])),
      diagrams: await readDiagrams(document, related),
      hasEvenMargins,
      onMargin: id => margins.add(id),
      onBlock(text, head) {
        hasRoom &&= passages.add(++count, text, head)
      },
      isDone: () => !hasRoom,
    }),
  )
  if (!isRead) throw damaged('The document has no text part.')
  passages.end()
  const seen = new Set<string>()
  for (const { id, target } of related) {
    if (!margins.has(id) || !hasRoom) continue
    const lines = await readLines(document, target, story)
    inParts.push(...(await document.relations(target)))
    if (!seen.has(lines)) hasRoom &&= passages.add(++count, lines)
    passages.end()
    seen.add(lines)
  }
  return { ...(await describe(document)), warnings: leftOut(inParts) }
}

type Story = Pick<StoryParts, 'styles' | 'nextLabel'>

const isLink = ({ type, target, isExternal }: Relation) =>
  type === 'hyperlink' && isExternal && /^(?:https?:|mailto:|tel:)/i.test(target)

async function readLines(document: Package, part: string, story: Story): Promise<string> {
  const lines: string[] = []
  await document.read(part, createStory({ ...story, onBlock: text => lines.push(text) }))
  return lines.join('\n')
}

/** Reads the notes of a part, apart from the lines above notes. */
function readNotes(story: Story, notes: Map<string, string>): XmlHandler {
  let note: { readonly id: string; readonly lines: string[]; readonly handler: XmlHandler } | null = null
  return {
    open(name, attribute) {
      if (name !== 'w:footnote' && name !== 'w:endnote') return note?.handler.open(name, attribute)
      if ((attribute('type') ?? 'normal') !== 'normal') return 'skip'
      const lines: string[] = []
      const handler = createStory({ ...story, onBlock: text => lines.push(text) })
      note = { id: `${name.slice(2)} ${attribute('id')}`, lines, handler }
    },
    close(name) {
      note?.handler.close?.(name)
      if (name !== 'w:footnote' && name !== 'w:endnote') return
      if (note !== null) notes.set(note.id, note.lines.join('\n').trim())
      note = null
    },
    text: text => note?.handler.text?.(text),
  }
}

/** Returns the texts of diagrams (SmartArt) by the ids of their parts. */
async function readDiagrams(document: Package, related: readonly Relation[]): Promise<Map<string, string>> {
  const diagrams = new Map<string, string>()
  for (const { id, type, target } of related) {
    if (type !== 'diagramData') continue
    let text = ''
    let isText = false
    await document.read(target, {
      open(name) {
        isText = name === 'a:t'
      },
      close(name) {
        isText = false
        if (name === 'a:p' && !text.endsWith('\n')) text += '\n'
      },
      text(piece) {
        if (isText) text += piece
      },
    })
    diagrams.set(id, text.trim())
  }
  return diagrams
}

/** Returns which program saved the document, and the pages that it counted. */
async function describe(document: Package): Promise<Pick<KnowledgeFacts, 'detail' | 'pages'>> {
  const found = { Application: '', Pages: '' }
  let current: keyof typeof found | null = null
  await document.read('docProps/app.xml', {
    open(name) {
      current = name.endsWith(':Application') ? 'Application' : name.endsWith(':Pages') ? 'Pages' : null
    },
    close() {
      current = null
    },
    text(text) {
      if (current !== null && found[current].length < 200) found[current] += text
    },
  })
  const [application = ''] = found.Application.slice(0, 200).split(/[$/]/)
  const pages = /^\d{1,6}$/.test(found.Pages) ? Number(found.Pages) : 0
  return {
    detail: application === '' ? 'DOCX' : `DOCX, saved by ${application}`,
    pages: pages === 0 ? null : pages,
  }
}
