import { hex } from 'dingbat-to-unicode'
import { createFields } from './fields.ts'
import { createFormula } from './formula.ts'
import type { NextLabel } from './lists.ts'
import type { Styles } from './styles.ts'
import { type Block, createTables, rowText } from './tables.ts'
import { type Attribute, isOn, type XmlHandler } from './xml.ts'

export type StoryParts = {
  readonly styles: Styles
  readonly nextLabel: NextLabel
  /** Receives the text of each paragraph and each row, and the row with the names of the columns or nothing. */
  readonly onBlock: (text: string, head: string) => void
  /** The addresses of links, by id. */
  readonly links?: ReadonlyMap<string, string>
  /** The texts of notes and of diagrams, by id. Each is taken out when it is written. */
  readonly notes?: Map<string, string>
  readonly diagrams?: Map<string, string>
  /** Receives the id of a header or a footer that some page has. */
  readonly onMargin?: (id: string) => void
  readonly hasEvenMargins?: boolean
  readonly isDone?: () => boolean
}

type Paragraph = {
  /** The text, and above it parts that have not ended, such as a link. */
  readonly texts: string[]
  readonly notes: string[]
  readonly boxes: Block[]
  style: string | undefined
  list: string | undefined
  level: number | undefined
}

/** Elements whose text a reader of the document does not see. */
const unseen: ReadonlySet<string> = new Set([
  'w:del',
  'w:delText',
  'w:delInstrText',
  'w:moveFrom',
  'w:sdtPr',
  // The reading of a Japanese word, above it.
  'w:rt',
  // The properties before a tracked change.
  'w:pPrChange',
  'w:rPrChange',
  'w:sectPrChange',
  'w:tblPrChange',
  'w:tblPrExChange',
  'w:trPrChange',
  'w:tcPrChange',
])
const texts: ReadonlySet<string> = new Set(['w:t', 'm:t', 'w:instrText'])
const maxAddress = 500

/** Reads a body, header, footer or note as a reader of the document sees it. */
export function createStory(parts: StoryParts): XmlHandler {
  const { styles, nextLabel, onBlock, links, notes, diagrams, onMargin, hasEvenMargins = false } = parts
  const paragraphs: Paragraph[] = []
  /** Where blocks go: cells and text boxes, the innermost last. */
  const targets: Block[][] = []
  /** The runs that have a text box which has not ended. */
  const runsWithBox: (typeof run)[] = []
  const addresses: (string | undefined)[] = []
  /** The open alternatives for programs of different ages; one of each is read. */
  const choices: { start: number; hadText: boolean }[] = []
  let run: { style: string | undefined; isHidden: boolean | undefined } = {
    style: undefined,
    isHidden: undefined,
  }
  let inParagraphProperties = false
  let inText: string | null = null
  let section: { margins: [id: string, pages: string][]; hasTitlePage: boolean } | null = null
  /** Grows with each text. */
  let length = 0
  let noteCount = 0

  const fields = createFields(write)
  const formula = createFormula({ write, begin, take, put })
  const tables = createTables(targets, emit)

  function isSeen(): boolean {
    const style = paragraphs.at(-1)?.style
    // The two styles switch the property over, as Word does.
    const isHidden =
      run.isHidden ?? styles.isHidden(style) !== (run.style !== undefined && styles.isHidden(run.style))
    return !isHidden && !fields.isHiding()
  }

  function write(text: string): void {
    const paragraph = paragraphs.at(-1)
    if (paragraph === undefined || text === '' || !isSeen()) return
    paragraph.texts[paragraph.texts.length - 1] += text
    length += text.length
    fields.show()
  }
  function begin(): void {
    paragraphs.at(-1)?.texts.push('')
  }
  function take(): string {
    return paragraphs.at(-1)?.texts.pop() ?? ''
  }
  /** Writes a text that was taken. */
  function put(text: string): void {
    const paragraph = paragraphs.at(-1)
    if (paragraph !== undefined) paragraph.texts[paragraph.texts.length - 1] += text
  }

  function emit(block: Block): void {
    if (block.cells.every(cell => cell.trim() === '')) return
    const target = targets.at(-1)
    if (target === undefined) onBlock(rowText(block.cells), block.head)
    else target.push(block)
  }

  function endParagraph(): void {
    const paragraph = paragraphs.pop()
    if (paragraph === undefined) return
    const {
      texts: [text = ''],
      notes: below,
      boxes,
    } = paragraph
    if (text.trim() !== '') {
      const inherited = styles.listOf(paragraph.style)
      const list = paragraph.list ?? inherited?.list
      const label =
        list === undefined ? '' : nextLabel({ list, level: paragraph.level ?? inherited?.level ?? 0 })
      const lines = [label === '' ? text : `${label} ${text.trimStart()}`, ...below]
      emit({ cells: [lines.join('\n')], head: '' })
    }
    for (const box of boxes) emit(box)
  }

  function refer(id: string, isMarkShown: boolean): void {
    const text = notes?.get(id)
    if (text === undefined || !isSeen()) return
    notes?.delete(id)
    const mark = isMarkShown ? `[${++noteCount}]` : ''
    write(mark)
    paragraphs.at(-1)?.notes.push(isMarkShown ? `${mark} ${text}` : text)
  }

  function endLink(): void {
    const address = addresses.pop()
    const text = take()
    put(text)
    const isTold = address === undefined || text.length > maxAddress || isInText(address, text)
    if (!isTold && text.trim() !== '') put(` (${address})`)
  }

  /** Returns whether the element is read. */
  function openBlock(name: string, attribute: Attribute): boolean {
    const value = attribute('val')
    const paragraph = paragraphs.at(-1)
    if (name === 'w:p')
      paragraphs.push({
        texts: [''],
        notes: [],
        boxes: [],
        style: undefined,
        list: undefined,
        level: undefined,
      })
    else if (name === 'w:pPr') inParagraphProperties = true
    else if (name === 'w:pStyle' && paragraph !== undefined) paragraph.style = value
    else if (name === 'w:numId' && paragraph !== undefined) paragraph.list = value
    else if (name === 'w:ilvl' && paragraph !== undefined) paragraph.level = Number(value)
    else if (name === 'w:sectPr') section = { margins: [], hasTitlePage: false }
    else if (name === 'w:headerReference' || name === 'w:footerReference')
      section?.margins.push([attribute('id') ?? '', attribute('type') ?? 'default'])
    else if (name === 'w:titlePg' && section !== null) section.hasTitlePage = isOn(value)
    else if (name === 'w:txbxContent') {
      targets.push([])
      runsWithBox.push(run)
    } else if (name === 'mc:AlternateContent') choices.push({ start: length, hadText: false })
    else if (name === 'mc:Choice' || name === 'mc:Fallback') {
      const choice = choices.at(-1)
      return choice?.hadText !== true
    } else tables.open(name, attribute)
    return true
  }

  function openInline(name: string, attribute: Attribute): void {
    const id = attribute('id') ?? ''
    if (name === 'w:r' || name === 'm:r') run = { style: undefined, isHidden: undefined }
    else if (name === 'w:rStyle') run.style = attribute('val')
    else if (name === 'w:vanish') run.isHidden = isOn(attribute('val'))
    else if (name === 'w:tab' || name === 'w:ptab') write('\t')
    else if (name === 'w:br' || name === 'w:cr') write('\n')
    else if (name === 'w:noBreakHyphen') write('-')
    else if (name === 'w:sym') write(symbol(attribute('font') ?? '', attribute('char') ?? ''))
    else if (name === 'w:hyperlink') {
      begin()
      addresses.push(links?.get(id))
    } else if (name === 'w:footnoteReference' || name === 'w:endnoteReference')
      refer(`${name.slice(2, -'Reference'.length)} ${id}`, attribute('customMarkFollows') === undefined)
    else if (name === 'dgm:relIds') {
      const text = diagrams?.get(attribute('dm') ?? '')
      if (text !== undefined) paragraphs.at(-1)?.boxes.push({ cells: [text], head: '' })
      diagrams?.delete(attribute('dm') ?? '')
    } else fields.open(name, attribute)
    if (name.startsWith('m:')) formula.open(name, attribute)
  }

  return {
    open(name, attribute) {
      if (unseen.has(name) && !(name === 'w:del' && tables.inRowProperties())) return 'skip'
      inText = texts.has(name) ? name : null
      if (!openBlock(name, attribute)) return 'skip'
      if (!inParagraphProperties) openInline(name, attribute)
    },
    close(name) {
      inText = null
      if (name === 'w:p') endParagraph()
      else if (name === 'w:pPr') inParagraphProperties = false
      else if (name === 'w:hyperlink') endLink()
      else if (name === 'w:txbxContent') {
        run = runsWithBox.pop() ?? run
        const blocks = targets.pop() ?? []
        const paragraph = paragraphs.at(-1)
        for (const block of blocks)
          if (paragraph === undefined) emit(block)
          else paragraph.boxes.push(block)
      } else if (name === 'mc:Choice') {
        const choice = choices.at(-1)
        if (choice !== undefined) choice.hadText ||= length > choice.start
      } else if (name === 'mc:AlternateContent') choices.pop()
      else if (name === 'w:sectPr' && section !== null) {
        for (const [id, pages] of section.margins)
          if (pages === 'default' || (pages === 'first' ? section.hasTitlePage : hasEvenMargins))
            onMargin?.(id)
        section = null
      } else if (name.startsWith('m:')) formula.close(name)
      else {
        tables.close(name)
        fields.close(name)
      }
    },
    text(text) {
      if (inText === 'w:instrText') fields.addInstruction(text)
      else if (inText !== null) write(text.replaceAll('\n', ' '))
    },
    ...(parts.isDone === undefined ? {} : { isDone: parts.isDone }),
  }
}

function symbol(font: string, code: string): string {
  const point = Number.parseInt(code, 16)
  if (!(point > 0 && point < 0x1_0000)) return ''
  // Fonts of symbols have their characters in the private area too.
  const isPrivate = point >= 0xe000 && point <= 0xf8ff
  const own = hex(font, (point & 0xfff).toString(16))?.string
  return own ?? (isPrivate ? '' : String.fromCodePoint(point))
}

/** Returns whether a reader of the text knows the address. */
function isInText(address: string, text: string): boolean {
  const plain = (one: string) =>
    one
      .replace(/^(?:https?:\/\/|mailto:|tel:)/i, '')
      .replace(/\/$/, '')
      .toLowerCase()
  return (
    plain(text).includes(plain(address)) ||
    (text.includes('.') && plain(address).includes(plain(text.trim())))
  )
}
