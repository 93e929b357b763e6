import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ServiceError } from '#shared/errors.ts'
import {
  type KnowledgeFacts,
  type KnowledgeKind,
  type KnowledgeWarning,
  maxKnowledgeCharacters,
} from '#shared/model/platform/knowledge.ts'
import { readDocx } from './docx/read-docx.ts'
import { type Passages, writePassages } from './passages.ts'
import { readPdf } from './read-pdf.ts'
import { endingOf, type Recognized, recognize } from './recognize.ts'
import { type Reading, readText } from './text/read-text.ts'

export type ReadJob = Reading & {
  readonly path: string
  /** Where the passages go. */
  readonly textPath: string
  /** As the user knows the file. */
  readonly name: string
}

/**
 * Recognizes a file by its contents and writes its text as passages.
 *
 * @throws ServiceError `unsupported_file`, `empty_file`, `damaged_file`, `encrypted_file`, `file_too_complex`.
 */
export async function readKnowledgeFile(
  { path, textPath, name, ...reading }: ReadJob,
  maxCharacters = maxKnowledgeCharacters,
): Promise<KnowledgeFacts> {
  const whole = await readFile(path)
  const sha256 = createHash('sha256').update(whole).digest('hex')
  const { type, bytes } = await recognize(whole, name)
  const passages = writePassages(textPath, maxCharacters)
  const found = await readAs(type, bytes, name, passages, reading).catch(error => {
    passages.abandon()
    throw error
  })
  const { characters, isCut } = passages.close()
  const warnings: KnowledgeWarning[] = [...found.warnings]
  if (characters === 0)
    warnings.push({ code: 'no_text', message: type === 'pdf' ? 'No text: pictures of pages' : 'No text' })
  if (isCut) {
    const message = `Only the first ${maxCharacters.toLocaleString('en')} characters were read`
    const before = warnings.findIndex(({ code }) => code === 'text_cut')
    if (before < 0) warnings.push({ code: 'text_cut', message })
    else warnings[before] = { code: 'text_cut', message: `${message}. ${warnings[before]?.message}` }
  }
  return { ...found, nameFits: fits(name, found.kind), sha256, characters, warnings }
}

async function readAs(type: Recognized, bytes: Buffer, name: string, passages: Passages, reading: Reading) {
  const none = { pages: null, rows: null, lines: null, encoding: null, separator: null, warnings: [] }
  if (type !== 'text' && (reading.encoding ?? reading.separator) !== undefined)
    throw new ServiceError('invalid_input', { detail: 'Only a TXT or CSV has an encoding and a separator.' })
  if (type === 'pdf') return { ...none, kind: type, ...(await readPdf(bytes, passages)) }
  if (type === 'docx') return { ...none, kind: type, ...(await readDocx(bytes, passages)) }
  return { ...none, ...readText(bytes, name, passages, reading) }
}

const endings: Readonly<Record<KnowledgeKind, readonly string[]>> = {
  pdf: ['pdf'],
  docx: ['docx'],
  txt: ['txt', 'text', 'md', 'log'],
  csv: ['csv', 'tsv'],
}

function fits(name: string, kind: KnowledgeKind): boolean {
  const ending = endingOf(name)
  const isKnown = /^(?:pdf|docx?|txt|text|md|log|csv|tsv|xlsx?|html?|rtf|odt|pages|png|jpe?g)$/.test(ending)
  return !isKnown || endings[kind].includes(ending)
}
