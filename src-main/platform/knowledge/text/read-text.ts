import { stripVTControlCharacters } from 'node:util'
import { ServiceError } from '#shared/errors.ts'
import type {
  KnowledgeEncoding,
  KnowledgeFacts,
  KnowledgeSeparator,
  KnowledgeWarning,
} from '#shared/model/platform/knowledge.ts'
import { encodings, separators } from '#shared/platform/encodings.ts'
import type { Passages } from '../passages.ts'
import { endingOf } from '../recognize.ts'
import { guessSeparator, measure, rowsOf } from './csv.ts'
import { decode } from './encodings.ts'
import { guessEncoding } from './guess.ts'

const nameOf = (encoding: KnowledgeEncoding) => encodings[encoding].name

/** The properties of a text that the user knows; the rest is guessed. */
export type Reading = {
  readonly encoding?: KnowledgeEncoding | undefined
  readonly separator?: KnowledgeSeparator | undefined
}

type TextFacts = Pick<
  KnowledgeFacts,
  'kind' | 'detail' | 'encoding' | 'separator' | 'rows' | 'lines' | 'warnings'
>
type Warn = (code: KnowledgeWarning['code'], message: string) => void

/**
 * Reads TXT and CSV. Nothing in the contents tells them apart for certain, so the name decides if it ends in one of
 * them, and otherwise whether the first rows look like a table.
 *
 * @throws ServiceError `unsupported_file` if it is not text; `empty_file`, `file_too_complex`.
 */
export function readText(bytes: Buffer, name: string, passages: Passages, given: Reading): TextFacts {
  const warnings: KnowledgeWarning[] = []
  const warn: Warn = (code, message) => {
    if (!warnings.some(warning => warning.code === code)) warnings.push({ code, message })
  }
  const { text, encoding } = readLetters(bytes, given.encoding, warn)
  if (text.trim() === '') throw new ServiceError('empty_file', { detail: 'The file has no text.' })
  const facts = { encoding, warnings }
  return isTable(text, name, given)
    ? { ...facts, ...readTable(text, encoding, given.separator, passages, warn) }
    : { ...facts, ...readLines(text, encoding, passages) }
}

/** @throws ServiceError `unsupported_file` if the bytes are not text. */
function readLetters(bytes: Buffer, given: KnowledgeEncoding | undefined, warn: Warn) {
  const { encoding, isCertain } =
    given === undefined ? guessEncoding(bytes) : { encoding: given, isCertain: true }
  const decoded = decode(bytes, encoding)
  const whole = decoded.includes('\u001b') ? stripVTControlCharacters(decoded) : decoded
  // DOS ended texts with SUB, and some programs fill the rest of a file with NUL.
  let end = whole.length
  while ('\0\u001a'.includes(whole[end - 1] ?? ' ')) end--
  const text = whole.slice(0, end)
  // Texts have hardly any control characters. Binary files have many.
  const strange = text.match(/[^\P{Cc}\s\u0080-\u009f]/gu)?.length ?? 0
  if (strange > Math.max(1, text.length / 50))
    throw new ServiceError('unsupported_file', {
      detail: 'This is neither text nor a PDF or DOCX. Save its text as one of them, then add the new file.',
    })
  if (!isCertain) warn('uncertain_encoding', `Perhaps not ${nameOf(encoding)}`)
  const lost = text.split('\ufffd').length - 1
  if (lost > 0)
    warn(
      'lost_characters',
      `${lost === 1 ? '1 character is' : `${lost.toLocaleString('en')} characters are`} not ${nameOf(encoding)}`,
    )
  return { text, encoding }
}

function isTable(text: string, name: string, given: Reading): boolean {
  const ending = endingOf(name)
  if (['csv', 'tsv'].includes(ending) || given.separator !== undefined) return true
  if (['txt', 'text', 'md', 'log'].includes(ending)) return false
  const { share, rows } = guessSeparator(text)
  return share === 1 && rows > 1
}

function readLines(text: string, encoding: KnowledgeEncoding, passages: Passages) {
  const lines = text.split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  for (const [index, line] of lines.entries()) {
    // A paragraph begins a passage, unless the one before is short.
    if (line.trim() === '') passages.end(500)
    else if (!passages.add(index + 1, line)) break
  }
  return {
    kind: 'txt',
    detail: nameOf(encoding),
    separator: null,
    rows: null,
    lines: lines.length,
  } as const
}

const isSeparator = (text: string): text is KnowledgeSeparator => text in separators

/** The first line by which Excel learns the separator. It is not one of the rows. */
const separatorLine = /^"?sep=(.)"?[^\S\n\r]*(?:\r\n|\n|\r)/i

function readTable(
  whole: string,
  encoding: KnowledgeEncoding,
  given: KnowledgeSeparator | undefined,
  passages: Passages,
  warn: Warn,
) {
  const [line = '', said = ''] = separatorLine.exec(whole) ?? []
  const text = whole.slice(line.length)
  const guess = guessSeparator(text)
  const separator = given ?? (isSeparator(said) ? said : guess.separator)
  if (separator === guess.separator && given === undefined && line === '' && !guess.isCertain)
    warn('uncertain_separator', `Perhaps not separated by ${separators[separator]}`)
  const most = separator === guess.separator ? guess.columns : measure(text, separator).columns
  let header: readonly string[] | null = null
  let headerRow = 0
  let isBelowGap = false
  let number = 0
  let rows = 0
  for (const { cells, isOpen } of rowsOf(text, separator)) {
    number++
    if (isOpen) warn('open_quote', `Row ${number}: a quotation mark is not closed`)
    const filled = filledIn(cells)
    const [title = ''] = filled
    if (filled.length === 0) {
      isBelowGap = rows === 0
      continue
    }
    // A title above the table. The numbers of rows, which some programs add as the first column, have no name.
    if (header === null && filled.length === 1 && most > 1 && (cells[0] !== '' || most > 2)) {
      if (!passages.add(number, title)) break
      continue
    }
    // A title of several cells: an empty row and a row with more cells follow.
    if (header !== null && isBelowGap && isShorter(header, filled.length)) {
      if (!passages.add(headerRow, filledIn(header).join('; '))) break
      header = null
    }
    if (header === null) {
      header = cells
      headerRow = number
      isBelowGap = false
      continue
    }
    isBelowGap = false
    rows++
    if (cells.length !== header.length)
      warn('uneven_rows', `Row ${number}: ${columns(cells.length)}, not ${header.length}`)
    if (!passages.add(number, tell(cells, header))) break
  }
  // A file with a header alone can still be read.
  if (rows === 0 && header !== null) passages.add(number, header.join('; '))
  const detail = `${nameOf(encoding)}, separated by ${separators[separator]}`
  return { kind: 'csv', detail, separator, rows, lines: null } as const
}

const filledIn = (cells: readonly string[]) => cells.filter(cell => cell !== '')

/** Returns whether a row has fewer cells than another one, all at its beginning. */
function isShorter(cells: readonly string[], count: number): boolean {
  const own = filledIn(cells).length
  return own < count && cells.slice(0, own).every(cell => cell !== '')
}

/** Returns a row with the names of its columns, because passages are read one by one. */
function tell(cells: readonly string[], header: readonly string[]): string {
  const told = cells.flatMap((cell, index) => {
    const title = header[index] ?? ''
    return cell === '' ? [] : [title === '' ? cell : `${title}: ${cell}`]
  })
  return told.join('; ')
}

const columns = (count: number) => (count === 1 ? '1 column' : `${count} columns`)
