import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readKnowledgeFile } from '#main/platform/knowledge/read-file.ts'
import { docx, relationships, wordPart, wordXml, zip } from '../support/docx.ts'

let folder: string
let count = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cc-formats-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Returns what is found in a file, and its text. */
async function read(name: string, bytes: Uint8Array | string) {
  const path = join(folder, String(++count))
  await writeFile(path, bytes)
  const facts = await readKnowledgeFile({ path, textPath: `${path}.text`, name })
  const lines = (await readFile(`${path}.text`, 'utf8')).split('\n').filter(line => line !== '')
  return { ...facts, text: lines.map(line => JSON.parse(line)[2]).join('\n') }
}

/** A PDF with a table of offsets, which are counted from `base` bytes before it. */
function pdf(base = 0): Buffer {
  const content = 'BT /F1 12 Tf 20 200 Td (Depot opens at nine) Tj ET'
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = offsets.map(offset => `${String(base + offset).padStart(10, '0')} 00000 n \n`).join('')
  const start = base + text.length
  text += `xref\n0 6\n0000000000 65535 f \n${table}trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}

describe('a PDF', () => {
  test.each([
    ['nothing', ''],
    ['a line break', '\r\n'],
    ['a space', ' '],
    ['a byte order mark', '\u00ef\u00bb\u00bf'],
    [
      'the head of a part',
      '--b7\r\nContent-Disposition: form-data; name="f"\r\nContent-Type: application/pdf\r\n\r\n',
    ],
    ['the head of a response', 'HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n'],
    ['other bytes', '\u0000\u0001\u0002xyz'.repeat(100)],
    ['1,019 spaces', ' '.repeat(1019)],
    ['1,019 letters', 'x'.repeat(1019)],
  ])('is read after %s, wherever its offsets are counted from', async (_what, before) => {
    for (const base of [0, before.length])
      for (const name of ['hours.pdf', 'hours.txt', 'hours']) {
        const bytes = Buffer.concat([Buffer.from(before, 'latin1'), pdf(base), Buffer.from('\r\n--b7--\r\n')])
        expect(await read(name, bytes)).toMatchObject({
          kind: 'pdf',
          detail: 'PDF 1.4',
          text: 'Depot opens at nine',
          warnings: [],
        })
      }
  })

  test('that is cut after a line break is damaged, not a text', async () => {
    await expect(
      read('a.pdf', Buffer.concat([Buffer.from('\n'), pdf().subarray(0, -30)])),
    ).rejects.toMatchObject({
      code: 'damaged_file',
    })
  })

  test('is what a text is about, which stays a text', async () => {
    const text = 'A PDF begins with the line\n%PDF-1.7\nand ends with %%EOF.'
    expect(await read('about.txt', text)).toMatchObject({ kind: 'txt', text, warnings: [] })
  })
})

const html = '<!DOCTYPE html><html><body>Hi</body></html>'
const rtf = '{\\rtf1\\ansi Hello}'
const xml = '<?xml version="1.0"?><pkg:package><pkg:part/></pkg:package>'
const archive =
  'From: a\r\nSubject: b\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="x"\r\n\r\n--x'
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

describe('a format that is not read', () => {
  const formats: readonly (readonly [string, Buffer])[] = [
    ['a web page', Buffer.from(html)],
    ['a rich text', Buffer.from(rtf)],
    ['an XML file', Buffer.from(xml)],
    ['a PostScript file', Buffer.from('%!PS-Adobe-3.0\n(Hi) show')],
    ['a web archive', Buffer.from(archive)],
    ['a ZIP archive', zip([{ name: 'a.txt', bytes: Buffer.from('x') }])],
    ['a GZIP archive', gzipSync('x'.repeat(100))],
    ['a database', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(100)])],
    ['a program', Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200, 1)])],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex')],
    ['an old document', Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)])],
  ]
  test.each(formats)(
    'is refused, whatever its name and the white space before it: %s',
    async (_what, bytes) => {
      for (const name of ['a.txt', 'a.csv', 'a.pdf', 'a.docx', 'a'])
        for (const before of ['', '\r\n', ' ', '\u00ef\u00bb\u00bf'])
          await expect(
            read(name, Buffer.concat([Buffer.from(before, 'latin1'), bytes])),
          ).rejects.toMatchObject({
            code: 'unsupported_file',
          })
    },
  )

  test.each([html, rtf, xml, archive])('is refused in UTF-16 too (%#)', async text => {
    for (const bytes of [utf16(text), utf16(text).swap16()])
      await expect(read('a.txt', bytes)).rejects.toMatchObject({ code: 'unsupported_file' })
  })

  test.each(['BMW service is on Monday.', 'MZ-700 manual\nPrice 90', 'ID3 is a day of the week'])(
    'is not what a text is that begins with the same letters: %s',
    async text => {
      expect(await read('a.txt', text)).toMatchObject({ kind: 'txt', text })
    },
  )
})

test('a DOCX after a line break is read', async () => {
  const bytes = docx(wordXml('<w:p><w:r><w:t>Open</w:t></w:r></w:p>'))
  expect(await read('a.docx', Buffer.concat([Buffer.from('\n'), bytes]))).toMatchObject({
    kind: 'docx',
    text: 'Open',
  })
})

describe('a DOCX', () => {
  const paragraph = '<w:p><w:r><w:t>Open</w:t></w:r></w:p>'
  const warned = (message: string) => [{ code: 'text_cut', message: `Not read: ${message}` }]

  test.each<[string, readonly (readonly [string, string])[]]>([
    ['1 inserted file', [['aFChunk', 'chunk.html']]],
    [
      '1 inserted file, 2 charts',
      [
        ['aFChunk', 'a.docx'],
        ['chart', 'charts/1.xml'],
        ['chart', 'charts/2.xml'],
      ],
    ],
    [
      '2 embedded objects',
      [
        ['oleObject', 'embeddings/1.bin'],
        ['package', 'embeddings/2.xlsx'],
      ],
    ],
    ['1 subdocument', [['subDocument', 'file:///c:/part.docx']]],
    [
      '1 unknown part',
      [
        ['somethingNew', 'new.xml'],
        ['somethingNew', 'new.xml'],
      ],
    ],
    ['1 unknown part', [['constructor', 'new.xml']]],
  ])('warns of what is not read: %s', async (message, list) => {
    const parts = {
      'word/_rels/document.xml.rels': relationships(
        list.map(([type, target], index) => [`r${index}`, type, target]),
      ),
    }
    const found = await read('a.docx', docx(wordXml(`<w:altChunk r:id="r0"/>${paragraph}`), { parts }))
    expect(found).toMatchObject({ text: 'Open', warnings: warned(message) })
  })

  test('warns of what is not read in its headers and notes', async () => {
    const document = wordXml(
      `${paragraph}<w:sectPr><w:headerReference w:type="default" r:id="r1"/></w:sectPr>`,
    )
    const rels = (target: string) => relationships([['r1', 'chart', target]])
    const parts = {
      'word/_rels/document.xml.rels': relationships([
        ['r1', 'header', 'header1.xml'],
        ['r2', 'footnotes', 'footnotes.xml'],
      ]),
      'word/header1.xml': wordPart('hdr', '<w:p/>'),
      'word/_rels/header1.xml.rels': rels('charts/1.xml'),
      'word/footnotes.xml': wordPart('footnotes', ''),
      'word/_rels/footnotes.xml.rels': rels('charts/2.xml'),
    }
    expect((await read('a.docx', docx(document, { parts }))).warnings).toEqual(warned('2 charts'))
  })

  test('has no warning for its looks, pictures, links and comments', async () => {
    const types = ['styles', 'theme', 'image', 'hyperlink', 'comments', 'customXml', 'fontTable', 'people']
    const list = types.map((type, index) => [`r${index}`, type, `https://a.example/${type}`] as const)
    const parts = { 'word/_rels/document.xml.rels': relationships(list) }
    expect((await read('a.docx', docx(wordXml(paragraph), { parts }))).warnings).toEqual([])
    for (const name of ['word-tables.docx', 'word-for-mac.docx', 'libreoffice-text.docx']) {
      const bytes = await readFile(new URL(`../fixtures/knowledge/${name}`, import.meta.url))
      expect((await read(name, bytes)).warnings.filter(({ code }) => code === 'text_cut')).toEqual([])
    }
  })
})

test.each([
  ['="00123"', '00123'],
  ['"=""00123"""', '00123'],
  ['= "00123"', '00123'],
  ['"=""a""""b"""', 'a"b'],
  ['"=""7,5"""', '7,5'],
  ['="1"&"2"', '="1"&"2"'],
  ['=A1', '=A1'],
  ['="', '="'],
])('the cell %s of a table is read as %s', async (cell, text) => {
  expect((await read('a.csv', `id,name\n${cell},Ada\n`)).text).toBe(`id: ${text}; name: Ada`)
})
