import { type Attribute, isOn } from './xml.ts'

type Field = {
  instruction: string
  /** Whether its instruction has ended and its result has begun. */
  isResult: boolean
  /** Whether its result has text. */
  isShown: boolean
  /** The value of a form field: a tick, or the number of the selected entry. */
  isTicked: boolean | null
  selected: number
  readonly entries: string[]
}

const maxInstruction = 1000

/** Fields whose results are numbers of pages. */
const ofPages = /^\s*(?:PAGE|NUMPAGES|SECTIONPAGES|PAGEREF)\b/i
const mergeField = /^\s*MERGEFIELD\s+(?:"([^"]{1,200})"|(\S{1,200}))/i

const shows = ({ isResult, instruction }: Field) => isResult && !ofPages.test(instruction)

/** Tells the results of fields from their instructions. Fields can be nested. */
export function createFields(write: (text: string) => void) {
  const fields: Field[] = []
  /** How many of `fields` do not show what is in them now. */
  let hiding = 0

  function begin(instruction: string, isResult: boolean): void {
    const field = { instruction, isResult, isShown: false, isTicked: null, selected: 0, entries: [] }
    fields.push(field)
    if (!shows(field)) hiding++
  }

  function separate(): void {
    const field = fields.at(-1)
    if (field === undefined || field.isResult) return
    field.isResult = true
    if (shows(field)) hiding--
  }

  function end(): void {
    const field = fields.pop()
    if (field === undefined) return
    if (!shows(field)) hiding--
    const { instruction, isTicked, isShown, entries, selected } = field
    const outer = fields.at(-1)
    if (isShown && outer !== undefined) outer.isShown = true
    if (isShown) return
    const [, quoted, plain] = mergeField.exec(instruction) ?? []
    const name = quoted ?? plain
    if (name !== undefined) write(`«${name}»`)
    else if (isTicked !== null) write(isTicked ? '☒' : '☐')
    else write(entries[selected] ?? '')
  }

  return {
    isHiding: () => hiding > 0,
    /** Notes that text was written. */
    show(): void {
      const field = fields.at(-1)
      if (field !== undefined) field.isShown = true
    },
    addInstruction(text: string): void {
      const field = fields.at(-1)
      if (field !== undefined && !field.isResult && field.instruction.length < maxInstruction)
        field.instruction += text.slice(0, maxInstruction)
    },
    open(name: string, attribute: Attribute): void {
      const field = fields.at(-1)
      const type = attribute('fldCharType')
      if (name === 'w:fldSimple') begin(attribute('instr')?.slice(0, maxInstruction) ?? '', true)
      else if (name === 'w:fldChar') {
        if (type === 'begin') begin('', false)
        else if (type === 'separate') separate()
        else if (type === 'end') end()
      } else if (field === undefined) return
      else if (name === 'w:checkBox') field.isTicked = false
      else if ((name === 'w:default' || name === 'w:checked') && field.isTicked !== null)
        field.isTicked = isOn(attribute('val'))
      else if (name === 'w:default' || name === 'w:result') field.selected = Number(attribute('val'))
      else if (name === 'w:listEntry') field.entries.push(attribute('val') ?? '')
    },
    close(name: string): void {
      if (name === 'w:fldSimple') end()
    },
  }
}
