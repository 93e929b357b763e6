import { z } from 'zod'
import { KnowledgeFileId, Moment, WorkspaceId } from '../identifiers.ts'
import { AgentId } from './parts.ts'

/** The largest file, in bytes. */
export const maxKnowledgeFileBytes = 50 * 1024 * 1024
/** Maximum size of all files of an agent together, in bytes. */
export const maxKnowledgeBytes = 2 * 1024 * 1024 * 1024
export const maxKnowledgeFiles = 1000
/** Maximum number of characters that are read from one file; later text is left out. */
export const maxKnowledgeCharacters = 20_000_000
export const maxKnowledgePages = 5000
/** Maximum number of bytes in one part of an upload. */
export const maxUploadPartBytes = 512 * 1024

export const KnowledgeKind = z.enum(['pdf', 'docx', 'txt', 'csv'])
export type KnowledgeKind = z.infer<typeof KnowledgeKind>

/** How the letters of a text are written as bytes: the labels of the Encoding Standard, and those of DOS and Mac OS. */
export const KnowledgeEncoding = z.enum([
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'iso-8859-15',
  'macintosh',
  'ibm850',
  'ibm437',
  'windows-1250',
  'iso-8859-2',
  'ibm852',
  'x-mac-ce',
  'windows-1251',
  'koi8-r',
  'koi8-u',
  'iso-8859-5',
  'ibm866',
  'ibm855',
  'x-mac-cyrillic',
  'windows-1253',
  'iso-8859-7',
  'ibm737',
  'windows-1254',
  'ibm857',
  'windows-1257',
  'iso-8859-13',
  'iso-8859-4',
  'ibm775',
  'windows-1255',
  'iso-8859-8',
  'windows-1256',
  'iso-8859-6',
  'windows-874',
  'windows-1258',
  'shift_jis',
  'euc-jp',
  'iso-2022-jp',
  'gb18030',
  'big5',
  'euc-kr',
])
export type KnowledgeEncoding = z.infer<typeof KnowledgeEncoding>

/** The characters that separate the columns of a CSV. */
export const KnowledgeSeparator = z.enum([',', ';', '\t', '|'])
export type KnowledgeSeparator = z.infer<typeof KnowledgeSeparator>

export const KnowledgeWarning = z.object({
  code: z.enum([
    'no_text',
    'pages_without_text',
    'uncertain_encoding',
    'uncertain_separator',
    'lost_characters',
    'uneven_rows',
    'open_quote',
    'text_cut',
    'text_lost',
  ]),
  message: z.string().describe('A few words, such as “Row 118: 7 columns, not 6”.'),
})
export type KnowledgeWarning = z.infer<typeof KnowledgeWarning>

/** The name of a stored file, as people see it. Paths are not part of it. */
const StoredFileName = z.string().refine(
  // Characters that turn the direction of a text can hide its ending.
  name => /^[^/\\\p{Cc}\u202a-\u202e\u2066-\u2069]{1,255}$/u.test(name),
  'Write the name of a file: 1 to 255 characters, without slashes or control characters.',
)

/** The name of a new file. Earlier versions accepted dots and spaces alone, so stored files may have such names. */
export const KnowledgeFileName = StoredFileName.refine(
  name => /[^.\s\p{Cf}]/u.test(name),
  'Write the name of a file: dots and spaces alone, such as “..”, are not a name.',
)

/** The outcome of reading a file. */
export const KnowledgeFacts = z.object({
  kind: KnowledgeKind.describe('By the contents.'),
  detail: z.string().describe('The contents in words, such as `PDF 1.7` or `UTF-8, semicolons`.'),
  encoding: KnowledgeEncoding.nullable().default(null).describe('The one with which a TXT or CSV was read.'),
  separator: KnowledgeSeparator.nullable().default(null).describe('The one with which a CSV was read.'),
  nameFits: z.boolean().describe('Whether the ending of the name is that of the contents.'),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  characters: z.int().describe('Characters of text that were found.'),
  pages: z.int().nullable().describe('Pages of a PDF, or of a DOCX as the program that saved it counted.'),
  rows: z.int().nullable().describe('Rows of a CSV, without its header.'),
  lines: z.int().nullable().describe('Lines of a TXT.'),
  warnings: z.array(KnowledgeWarning).describe('None for a file that is ready.'),
})
export type KnowledgeFacts = z.infer<typeof KnowledgeFacts>

/** How a TXT or CSV is to be read, where the service should not guess. */
const KnowledgeChoice = z.object({
  encoding: KnowledgeEncoding.nullable(),
  separator: KnowledgeSeparator.nullable(),
})
export type KnowledgeChoice = z.infer<typeof KnowledgeChoice>
export const noChoice: KnowledgeChoice = { encoding: null, separator: null }

/** A file that an agent may answer from. */
export const KnowledgeFile = z.object({
  fileId: KnowledgeFileId,
  workspaceId: WorkspaceId,
  agentId: AgentId,
  name: StoredFileName,
  bytes: z.int(),
  ...KnowledgeFacts.shape,
  chosen: KnowledgeChoice.default(noChoice).describe(
    'What somebody has chosen; null: what the service guesses.',
  ),
  addedAt: Moment,
})
export type KnowledgeFile = z.infer<typeof KnowledgeFile>

/** Where a passage is: in a PDF its page, in a CSV its rows as a spreadsheet numbers them. */
export const KnowledgePlace = z.object({
  unit: z.enum(['page', 'paragraph', 'line', 'row']),
  first: z.int(),
  last: z.int(),
})
export type KnowledgePlace = z.infer<typeof KnowledgePlace>

/** A part of a file's text, about a paragraph: what a search finds. */
export const KnowledgePassage = z.object({
  index: z.int().describe('From 0.'),
  place: KnowledgePlace,
  text: z.string(),
})
export type KnowledgePassage = z.infer<typeof KnowledgePassage>

export const KnowledgeText = z.object({
  passages: z.array(KnowledgePassage),
  total: z.int().describe('Passages of the file.'),
  next: z.int().nullable().describe('`from` of the next part; null if this is the last.'),
})
export type KnowledgeText = z.infer<typeof KnowledgeText>

/** A passage that a search has found. */
export const KnowledgeMatch = z.object({
  fileId: KnowledgeFileId,
  name: StoredFileName,
  ...KnowledgePassage.shape,
  snippet: z
    .array(z.object({ text: z.string(), isMatch: z.boolean() }))
    .describe('About 24 words around the words found. Joined, the pieces are the snippet.'),
})
export type KnowledgeMatch = z.infer<typeof KnowledgeMatch>
