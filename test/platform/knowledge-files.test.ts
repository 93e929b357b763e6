import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, deflateRawSync, deflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFileReader } from '#main/platform/knowledge/knowledge.ts'
import { readKnowledgeFile } from '#main/platform/knowledge/read-file.ts'
import { contentTypes, docx, wordXml, zip } from '../support/docx.ts'

let folder: string
let count = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cc-knowledge-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function stage(name: string, bytes: Uint8Array | string) {
  const path = join(folder, String(++count))
  await writeFile(path, bytes)
  return { path, textPath: `${path}.text`, name }
}

/** Returns what is found in a file, and its passages. */
async function read(name: string, bytes: Uint8Array | string) {
  const job = await stage(name, bytes)
  const facts = await readKnowledgeFile(job)
  const lines = (await readFile(job.textPath, 'utf8')).split('\n').filter(line => line !== '')
  return { facts, passages: lines.map(line => JSON.parse(line)) }
}

const fixture = (name: string) => readFile(new URL(`../fixtures/knowledge/${name}`, import.meta.url))

/** A PDF with this content stream on its page, `/Count` pages and additional entries of the trailer. */
function pdf(content: Uint8Array, { pages = 1, filter = '', trailer = '' } = {}): Buffer {
  const numbers = Array.from({ length: pages }, (_, index) => index + 10)
  const kids = numbers.map(number => `${number} 0 R`).join(' ')
  const leaf =
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj'
  const head = `%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Count ${pages}/Kids[${kids}]>>endobj
${numbers.map(number => `${number} 0 obj${leaf}`).join('\n')}
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
4 0 obj<</Length ${content.length}${filter}>>stream\n`
  return Buffer.concat([
    Buffer.from(head),
    content,
    Buffer.from(`\nendstream endobj\ntrailer<</Root 1 0 R${trailer}>>\nstartxref\n0\n%%EOF\n`),
  ])
}

test.each([
  [
    'word-tables.docx',
    { kind: 'docx', detail: 'DOCX, saved by Microsoft Office Word', pages: 1 },
    'Bottom left',
  ],
  [
    'word-for-mac.docx',
    { kind: 'docx', detail: 'DOCX, saved by Microsoft Macintosh Word' },
    'Normal paragraph',
  ],
  ['libreoffice.docx', { kind: 'docx', detail: 'DOCX, saved by LibreOffice' }, ''],
  [
    'libreoffice-text.docx',
    { kind: 'docx', detail: 'DOCX, saved by LibreOffice', warnings: [] },
    'A customer may return a damaged article within 30 days – “no questions asked”.',
  ],
  ['utf-8-bom.csv', { kind: 'csv', detail: 'UTF-8, separated by commas', rows: 1 }, 'A: X; B: Y; C: Z'],
])('reads %s as another program made it', async (name, facts, text) => {
  const bytes = await fixture(name)
  const found = await read(name, bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  expect(found.facts).toMatchObject({ ...facts, nameFits: true, sha256 })
  expect(JSON.stringify(found.passages)).toContain(text)
})

test.each([
  ['semicolons', 'UTF-8, separated by semicolons'],
  ['utf-16-tabs', 'UTF-16 LE, separated by tabs'],
  ['windows-1252', 'Windows-1252, separated by semicolons'],
])('reads a table that LibreOffice exported: %s', async (way, detail) => {
  const name = `libreoffice-${way}.csv`
  const { facts, passages } = await read(name, await fixture(name))
  expect(facts).toMatchObject({ kind: 'csv', detail, rows: 3, warnings: [] })
  const text = `Zone: Köln; Preis, netto: 4.9; Bemerkung: Halle "B", Tor 2
Zone: Zürich; Preis, netto: 12.5; Bemerkung: erste Zeile
zweite Zeile
Zone: ${way === 'windows-1252' ? '?ód?' : 'Łódź'}; Preis, netto: 1250`
  expect(passages).toEqual([[2, 4, text]])
})

const table = 'zone;price\nKöln;4,90\nZürich;12,50\n'
test.each([
  ['UTF-8', Buffer.from(table), 'UTF-8, separated by semicolons'],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${table}`), 'UTF-8, separated by semicolons'],
  ['UTF-16', Buffer.from(`\ufeff${table}`, 'utf16le'), 'UTF-16 LE, separated by semicolons'],
  [
    'UTF-16, big-endian',
    Buffer.from(`\ufeff${table}`, 'utf16le').swap16(),
    'UTF-16 BE, separated by semicolons',
  ],
  ['Windows-1252', Buffer.from(table, 'latin1'), 'Windows-1252, separated by semicolons'],
  ['tabs', Buffer.from(table.replaceAll(';', '\t')), 'UTF-8, separated by tabs'],
  ['vertical bars', Buffer.from(table.replaceAll(';', '|')), 'UTF-8, separated by vertical bars'],
  ['carriage returns', Buffer.from(table.replaceAll('\n', '\r\n')), 'UTF-8, separated by semicolons'],
])('reads a table in %s', async (_what, bytes, detail) => {
  for (const name of ['zones.csv', 'zones']) {
    const { facts, passages } = await read(name, bytes)
    expect(facts).toMatchObject({ kind: 'csv', detail, rows: 2, warnings: [] })
    expect(passages).toEqual([[2, 3, 'zone: Köln; price: 4,90\nzone: Zürich; price: 12,50']])
  }
})

test('names the first row with another number of columns', async () => {
  const { facts } = await read('zones.csv', 'a,b\n1,2\n1,2,3\n1\n')
  expect(facts.warnings).toEqual([{ code: 'uneven_rows', message: 'Row 3: 3 columns, not 2' }])
})

test('reads a PDF, and says when its name contradicts it or it has no text', async () => {
  const text = Buffer.from('BT /F 12 Tf 50 700 Td (Damaged goods) Tj ET')
  const found = await read('policy.txt', pdf(text, { pages: 2 }))
  expect(found.facts).toMatchObject({
    kind: 'pdf',
    detail: 'PDF 1.7',
    nameFits: false,
    pages: 2,
    warnings: [],
  })
  expect(found.passages).toEqual([
    [1, 1, 'Damaged goods'],
    [2, 2, 'Damaged goods'],
  ])
  const { facts } = await read('scan.pdf', pdf(Buffer.from('0 0 m 9 9 l S')))
  expect(facts.warnings).toEqual([{ code: 'no_text', message: 'No text: pictures of pages' }])
})

test('joins words that a PDF splits at the ends of lines, and says which pages have no text', async () => {
  const lines = ['The ware-', 'house of e-', 'mail No. 5-', '7 and Ham-', 'Burg.']
  const content = `BT /F 12 Tf 50 700 Td ${lines.map(line => `(${line}) Tj 0 -14 Td`).join(' ')} ET`
  const bytes = pdf(Buffer.from(content), { pages: 2 })
    .toString('latin1')
    .replace(/(11 0 obj<<.*?\/Contents )4 0 R/, '$16 0 R')
    .replace('5 0 obj', '6 0 obj<</Length 0>>stream\n\nendstream endobj\n5 0 obj')
  const { facts, passages } = await read('a.pdf', Buffer.from(bytes, 'latin1'))
  expect(passages).toEqual([[1, 1, 'The warehouse of e-\nmail No. 5-\n7 and Ham-\nBurg.']])
  expect(facts.warnings).toEqual([{ code: 'pages_without_text', message: 'No text on 1 of 2 pages' }])
})

const png = Buffer.from(
  '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000049454e44ae426082',
  'hex',
)
const bomb =
  '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><w:document>&b;</w:document>'

test.each([
  ['empty.txt', '', 'empty_file', 'empty'],
  ['blank.txt', ' \n \n', 'empty_file', 'no text'],
  ['picture.png', png, 'unsupported_file', 'Pictures'],
  ['picture.pdf', png, 'unsupported_file', 'Pictures'],
  ['page.txt', '<!DOCTYPE html><html><body>Hi</body></html>', 'unsupported_file', 'Web pages'],
  [
    'Holiday hours.pages',
    zip([{ name: 'Index/Document.iwa', bytes: Buffer.from('x') }]),
    'unsupported_file',
    'In Pages, choose File, Export To, PDF',
  ],
  ['files.zip', zip([{ name: 'a.txt', bytes: Buffer.from('x') }]), 'unsupported_file', 'Archives'],
  [
    'old.doc',
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2048)]),
    'unsupported_file',
    'older Office',
  ],
  [
    'secret.docx',
    Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(512),
      Buffer.from('EncryptedPackage', 'utf16le'),
      Buffer.alloc(512),
    ]),
    'encrypted_file',
    'password',
  ],
  [
    'program',
    Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01'), Buffer.alloc(100)]),
    'unsupported_file',
    'Programs',
  ],
  ['noise.txt', Buffer.from([1, 2, 3, 0, 5, 6, 200, 255]), 'unsupported_file', 'neither'],
  ['cut.pdf', pdf(Buffer.from('x')).subarray(0, -20), 'damaged_file', 'end of the PDF'],
  ['broken.pdf', '%PDF-1.7\nnothing\n%%EOF', 'damaged_file', 'damaged'],
  [
    'locked.pdf',
    pdf(Buffer.from(''), {
      trailer: `/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<${'5a'.repeat(32)}>/U<${'a5'.repeat(32)}>>>`,
    }),
    'encrypted_file',
    'password',
  ],
  ['long.pdf', pdf(Buffer.from(''), { pages: 10_000 }), 'file_too_complex', '10,000 pages'],
  ['entities.docx', docx(bomb), 'file_too_complex', 'entities'],
  [
    'deep.docx',
    docx(wordXml(`${'<w:p>'.repeat(100_000)}${'</w:p>'.repeat(100_000)}`)),
    'file_too_complex',
    'nested',
  ],
  [
    'attributes.docx',
    docx(wordXml(`<w:p ${Array.from({ length: 500_000 }, (_, number) => `a${number}=""`).join(' ')}/>`)),
    'file_too_complex',
    'attributes',
  ],
  ['without-text.docx', zip([contentTypes]), 'damaged_file', 'damaged'],
  ['open.docx', docx('<a'.repeat(100_000)), 'damaged_file', 'damaged'],
  ['bomb.docx', docx(Buffer.alloc(100 * 1024 * 1024)), 'file_too_complex', '32 MiB'],
  ['tags.docx', docx(wordXml('<w:p/>'.repeat(4_000_000))), 'file_too_complex', '3 million tags'],
  ['tables.docx', docx(wordXml('<w:tbl><w:tr><w:tc>'.repeat(30))), 'file_too_complex', '20 tables'],
  ['lying.docx', docx(Buffer.alloc(100 * 1024 * 1024), { size: 1000 }), 'damaged_file', 'damaged'],
  ['cut.docx', docx(wordXml('<w:p/>')).subarray(0, -30), 'damaged_file', 'damaged'],
])('refuses %s with a reason', async (name, bytes, code, reason) => {
  await expect(read(name, bytes)).rejects.toMatchObject({ code, message: expect.stringContaining(reason) })
})

// Each takes the parser quadratic time, so reading it would end this test.
test.each(['<a', '<a ', '</a ', '<!--', '<?a '])(
  'refuses a Word document with a MiB of %j, without parsing it',
  async open => {
    const bytes = docx(wordXml(open.repeat(2 ** 20 / open.length)))
    await expect(read('open.docx', bytes)).rejects.toMatchObject({ code: 'damaged_file' })
  },
)

test('ends a reader whose small PDF maps every code of its font, and not the process', async () => {
  const reader = createFileReader()
  const map =
    '1 begincodespacerange <00000000> <ffffffff> endcodespacerange 1 beginbfrange <00000000> <ffffffff> <0000> endbfrange'
  const font = `<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/ToUnicode 8 0 R/DescendantFonts[<</Type/Font
/Subtype/CIDFontType2/BaseFont/X/CIDSystemInfo<</Registry(A)/Ordering(I)/Supplement 0>>/W[0 4294967295 1]>>]>>`
  const bytes = pdf(Buffer.from('BT /F 9 Tf <0001> Tj ET'))
    .toString('latin1')
    .replace('<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>', font)
    .replace('trailer', `8 0 obj<</Length ${map.length}>>stream\n${map}\nendstream endobj\ntrailer`)
  try {
    await expect(reader.run(await stage('font.pdf', bytes))).rejects.toMatchObject({
      reason: 'out_of_memory',
    })
    expect(await reader.run(await stage('a.txt', 'Hello'))).toMatchObject({ characters: 5 })
  } finally {
    await reader.stop()
  }
})

test('leaves out the text after the limit of characters, and says so', async () => {
  const job = await stage('long.txt', 'One word.\n\nAnother word.\n')
  const facts = await readKnowledgeFile(job, 12)
  expect(facts).toMatchObject({
    characters: 12,
    warnings: [{ code: 'text_cut', message: 'Only the first 12 characters were read' }],
  })
  expect(await readFile(job.textPath, 'utf8')).toBe('[1,3,"One word.\\nAno"]\n')
})

test('ends a reader that exceeds its time', async () => {
  const reader = createFileReader({ cpuLimitMs: 500 })
  try {
    const words = Buffer.from('BT /F 12 Tf 50 700 Td (Damaged goods) Tj ET '.repeat(20_000))
    const job = await stage('slow.pdf', pdf(words, { pages: 1000 }))
    await expect(reader.run(job)).rejects.toMatchObject({ reason: 'timed_out' })
  } finally {
    await reader.stop()
  }
})

test('ends a reader whose file unpacks without end, and reads the next', async () => {
  const reader = createFileReader({ cpuLimitMs: 60_000, bufferLimitMb: 128 })
  try {
    // A GiB of spaces. A fully flushed part can be repeated, and is compressed only once.
    const part = deflateRawSync(Buffer.alloc(16 * 1024 * 1024, ' '), {
      level: 9,
      finishFlush: constants.Z_FULL_FLUSH,
    })
    const zlibHeader = Buffer.from([0x78, 0xda])
    const stream = deflateSync(Buffer.concat([zlibHeader, ...Array(64).fill(part)]), { level: 9 })
    const job = await stage('bomb.pdf', pdf(stream, { filter: '/Filter[/FlateDecode/FlateDecode]' }))
    await expect(reader.run(job)).rejects.toMatchObject({ reason: 'out_of_memory' })
    const next = await reader.run(await stage('a.txt', 'Hello'))
    expect(next).toMatchObject({ kind: 'txt', characters: 5 })
  } finally {
    await reader.stop()
  }
})
