import { isUtf8 } from 'node:buffer'
import { analyse } from 'chardet'
import Papa from 'papaparse'
import { ServiceError } from '#shared/errors.ts'
import type { KnowledgeFacts, KnowledgeWarning } from '#shared/model/platform/knowledge.ts'
import type { Passages } from './passages.ts'
import { endingOf } from './recognize.ts'

type TextFacts = Pick<KnowledgeFacts, 'kind' | 'detail' | 'rows' | 'lines' | 'warnings'>

/**
 * Reads TXT and CSV. Nothing in the contents tells them apart for certain, so the name decides if it ends in one of
 * them, and otherwise whether the first rows look like a table.
 *
 * @throws ServiceError `unsupported_file` if it is not text; `empty_file`.
 */
export function readText(bytes: Buffer, name: string, passages: Passages): TextFacts {
  const { text, encoding } = decode(bytes)
  if (text.trim() === '') throw new ServiceError('empty_file', { detail: 'The file has no text.' })
  const ending = endingOf(name)
  const isTable =
    ['csv', 'tsv'].includes(ending) || (!['txt', 'text', 'md', 'log'].includes(ending) && isRegular(text))
  return isTable ? readTable(text, encoding, passages) : readLines(text, encoding, passages)
}

function readLines(text: string, encoding: string, passages: Passages): TextFacts {
  const lines = text.split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  for (const [index, line] of lines.entries()) {
    // A paragraph begins a passage, unless the one before is short.
    if (line.trim() === '') passages.end(500)
    else if (!passages.add(index + 1, line)) break
  }
  return { kind: 'txt', detail: encoding, rows: null, lines: lines.length, warnings: [] }
}

const separators: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'vertical bars',
}
const delimitersToGuess = Object.keys(separators)

const sampleLength = 64 * 1024

/** Parses the first rows. Empty lines would mislead the guess of the separator. */
function firstRows(text: string): Papa.ParseResult<string[]> {
  const start = text.slice(0, sampleLength)
  return Papa.parse<string[]>(start, { preview: 20, delimitersToGuess, skipEmptyLines: 'greedy' })
}

function isRegular(text: string): boolean {
  const { data, errors } = firstRows(text)
  // The last row may be cut.
  const rows = text.length > sampleLength ? data.slice(0, -1) : data
  const columns = rows[0]?.length ?? 0
  return errors.length === 0 && columns > 1 && rows.length > 1 && rows.every(row => row.length === columns)
}

function readTable(text: string, encoding: string, passages: Passages): TextFacts {
  const warnings: KnowledgeWarning[] = []
  const warn = (code: KnowledgeWarning['code'], message: string) => {
    if (!warnings.some(warning => warning.code === code)) warnings.push({ code, message })
  }
  let header: readonly string[] | null = null
  let number = 0
  let rows = 0
  const { delimiter } = firstRows(text).meta
  Papa.parse<string[]>(text, {
    delimiter,
    step({ data: row, errors }, parser) {
      number++
      if (errors.some(({ code }) => code === 'MissingQuotes' || code === 'InvalidQuotes'))
        warn('open_quote', `Row ${number}: a quotation mark is not closed`)
      if (row.every(cell => cell.trim() === '')) return
      if (header === null) {
        header = row.map(cell => cell.trim())
        return
      }
      rows++
      if (row.length !== header.length)
        warn('uneven_rows', `Row ${number}: ${columns(row.length)}, not ${header.length}`)
      const names = header
      const cells = row.map((cell, index) => [names[index] ?? '', cell.trim()] as const)
      const told = cells
        .filter(([, cell]) => cell !== '')
        .map(([title, cell]) => (title === '' ? cell : `${title}: ${cell}`))
      if (!passages.add(number, told.join('; '))) parser.abort()
    },
  })
  // A file with a header alone can still be read.
  if (rows === 0 && header !== null) passages.add(1, [...header].join('; '))
  const detail = `${encoding}, separated by ${separators[delimiter] ?? 'commas'}`
  return { kind: 'csv', detail, rows, lines: null, warnings }
}

const columns = (count: number) => (count === 1 ? '1 column' : `${count} columns`)

/** @throws ServiceError `unsupported_file` if the bytes are not text in any encoding. */
function decode(bytes: Buffer): { text: string; encoding: string } {
  for (const label of encodingsOf(bytes)) {
    const text = decodeAs(bytes, label)
    // Texts have no control characters but white space and the escapes of coloured logs. Binary files have many.
    if (text !== null && !/[^\P{Cc}\s\u0080-\u009f]/u.test(text.replaceAll('\u001b', '')))
      return { text, encoding: nameOf(label) }
  }
  throw new ServiceError('unsupported_file', {
    detail: 'This is neither text nor a PDF or DOCX. Save its text as one of them, then add the new file.',
  })
}

/** Returns the encodings to try, the most likely first. */
function encodingsOf(bytes: Buffer): readonly string[] {
  if (isUtf8(bytes)) return ['utf-8']
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return ['utf-16le']
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return ['utf-16be']
  const guesses = analyse(bytes.subarray(0, 1024 * 1024)).filter(({ confidence }) => confidence >= 40)
  return [...guesses.map(guess => guess.name).filter(name => !/^utf/i.test(name)), 'windows-1252']
}

function decodeAs(bytes: Buffer, label: string): string | null {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Returns the name of an encoding as people write it. */
function nameOf(label: string): string {
  const { encoding } = new TextDecoder(label)
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return `UTF-16 ${encoding.slice(-2).toUpperCase()}`
  return encoding.startsWith('utf') || encoding.startsWith('iso')
    ? encoding.toUpperCase()
    : encoding.replace(/^./, letter => letter.toUpperCase())
}
