import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readKnowledgeFile } from '#main/platform/knowledge/read-file.ts'
import { docx, relationships, wordPart, wordXml } from '../support/docx.ts'

/** Returns the text that is read from a document. */
async function textOf(bytes: Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'custom-connection-docx-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'a.docx')
  await writeFile(path, bytes)
  await readKnowledgeFile({ path, textPath: `${path}.text`, name: 'a.docx' })
  const lines = (await readFile(`${path}.text`, 'utf8')).split('\n').filter(line => line !== '')
  return lines.map(line => JSON.parse(line)[2]).join('\n')
}

const t = (text: string) => `<w:t xml:space="preserve">${text}</w:t>`
const r = (inner: string, properties = '') => `<w:r><w:rPr>${properties}</w:rPr>${inner}</w:r>`
const run = (text: string, properties = '') => r(t(text), properties)
const p = (inner: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${inner}</w:p>`
const tc = (text: string, properties = '') => `<w:tc><w:tcPr>${properties}</w:tcPr>${p(run(text))}</w:tc>`
const tr = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`
const tbl = (...rows: string[]) => `<w:tbl>${rows.join('')}</w:tbl>`
const field = (instruction: string, result: string | null) =>
  r('<w:fldChar w:fldCharType="begin"/>') +
  r(`<w:instrText xml:space="preserve"> ${instruction} </w:instrText>`) +
  (result === null ? '' : r('<w:fldChar w:fldCharType="separate"/>') + run(result)) +
  r('<w:fldChar w:fldCharType="end"/>')
const box = (inner: string) => `<w:txbxContent>${inner}</w:txbxContent>`
const mathRun = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`

test.each([
  // Line breaks and the like.
  ['a line break', p(r(`${t('Monday')}<w:br/>${t('Tuesday')}`)), 'Monday\nTuesday'],
  ['a carriage return', p(r(`${t('Monday')}<w:cr/>${t('Tuesday')}`)), 'Monday\nTuesday'],
  ['a page break', p(r(`${t('end')}<w:br w:type="page"/>${t('start')}`)), 'end\nstart'],
  ['a tab', p(r(`${t('Price')}<w:tab/>${t('9')}`), '<w:tabs><w:tab w:val="left"/></w:tabs>'), 'Price\t9'],
  ['an aligned tab', p(r(`${t('Price')}<w:ptab w:alignment="right"/>${t('9')}`)), 'Price\t9'],
  [
    'hyphens',
    p(r(`${t('co')}<w:noBreakHyphen/>${t('op, ware')}<w:softHyphen/>${t('house')}`)),
    'co-op, warehouse',
  ],
  ['a soft hyphen as a character', p(run('ware\u00adhouse')), 'warehouse'],
  ['a symbol', p(r('<w:sym w:font="Wingdings" w:char="F0FC"/>') + run(' yes')), '✓ yes'],
  ['a symbol of an ordinary font', p(r('<w:sym w:font="Calibri" w:char="20AC"/>') + run('5')), '€5'],
  ['a word over several runs', p(run('Re') + run('turns', '<w:b/>')), 'Returns'],
  [
    'a Japanese reading',
    p(`<w:r><w:ruby><w:rt>${run('へんぴん')}</w:rt><w:rubyBase>${run('返品')}</w:rubyBase></w:ruby></w:r>`),
    '返品',
  ],
  // Hidden and changed text.
  ['hidden text', p(run('Seen') + run(' hidden', '<w:vanish/>')), 'Seen'],
  ['text that is not hidden', p(run('Seen') + run(' too', '<w:vanish w:val="0"/>')), 'Seen too'],
  ['text of a hidden style', p(run('Seen') + run(' hidden', '<w:rStyle w:val="Secret"/>')), 'Seen'],
  ['a paragraph of a hidden style', p(run('hidden'), '<w:pStyle w:val="Inner"/>') + p(run('Seen')), 'Seen'],
  [
    'text that a hidden style of both kinds shows',
    p(run('Seen', '<w:rStyle w:val="Secret"/>'), '<w:pStyle w:val="Inner"/>'),
    'Seen',
  ],
  ['a hidden paragraph mark', p(run('Seen'), '<w:rPr><w:vanish/></w:rPr>'), 'Seen'],
  [
    'deleted text',
    p(`${run('30')}<w:del><w:r><w:delText>14</w:delText></w:r><w:r><w:br/></w:r></w:del>${run(' days')}`),
    '30 days',
  ],
  ['inserted text', p(`<w:ins>${run('30 days')}</w:ins>`), '30 days'],
  ['moved text', p(`<w:moveFrom>${run('old')}</w:moveFrom><w:moveTo>${run('new')}</w:moveTo>`), 'new'],
  [
    'a property before a change',
    p(run('Seen', '<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>')),
    'Seen',
  ],
  [
    'a comment',
    p(`<w:commentRangeStart w:id="0"/>${run('Seen')}${r('<w:commentReference w:id="0"/>')}`),
    'Seen',
  ],
  // Tables.
  ['a table', tbl(tr(tc('Plan'), tc('Price')), tr(tc('Pro'), tc('9'))), 'Plan | Price\nPro | 9'],
  [
    'empty cells',
    tbl(tr(tc('a'), tc(''), tc('c')), tr(tc(''), tc('b'), tc('')), tr(tc('x'), '<w:tc/>', tc('z'))),
    'a |  | c\n| b |\nx |  | z',
  ],
  ['a row without text', tbl(tr(tc('a'), tc('b')), tr(tc(''), tc('')), tr(tc('c'), tc('d'))), 'a | b\nc | d'],
  [
    'cells over columns',
    tbl(tr(tc('all', '<w:gridSpan w:val="2"/>'), tc('c')), tr(tc('1'), tc('2'), tc('3'))),
    'all |  | c\n1 | 2 | 3',
  ],
  [
    'cells over rows',
    tbl(
      tr(tc('North', '<w:vMerge w:val="restart"/>'), tc('5 kg')),
      tr(tc('', '<w:vMerge/>'), tc('9 kg')),
      tr(tc(''), tc('0 kg')),
    ),
    'North | 5 kg\nNorth | 9 kg\n| 0 kg',
  ],
  [
    'a row that begins later',
    tbl(
      tr(tc('a'), tc('b')),
      `<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>${tc('b2')}${tc('c2')}</w:tr>`,
    ),
    'a | b\n| b2 | c2',
  ],
  [
    'several paragraphs in a cell',
    tbl(tr(`<w:tc>${p(run('9 to 12'))}${p(run('14 to 18'))}</w:tc>`, tc('Mon'))),
    '9 to 12 / 14 to 18 | Mon',
  ],
  [
    'a line break in a cell',
    tbl(tr(`<w:tc>${p(r(`${t('a')}<w:br/>${t('b')}`))}</w:tc>`, tc('c'))),
    'a / b | c',
  ],
  ['a table for the layout', tbl(tr(`<w:tc>${p(run('One'))}${p(run('Two'))}</w:tc>`)), 'One\nTwo'],
  [
    'a table in a table',
    tbl(tr(`<w:tc>${tbl(tr(tc('S'), tc('1')), tr(tc('M'), tc('2')))}${p('')}</w:tc>`, tc('end'))),
    'S, 1 / M, 2 | end',
  ],
  [
    'a table in a table for the layout',
    tbl(tr(`<w:tc>${p(run('Sizes'))}${tbl(tr(tc('S'), tc('1')))}${p('')}</w:tc>`)),
    'Sizes\nS | 1',
  ],
  [
    'deleted and hidden rows',
    tbl(
      tr(tc('a'), tc('b')),
      `<w:tr><w:trPr><w:del w:id="1"/></w:trPr>${tc('x')}${tc('y')}</w:tr>`,
      `<w:tr><w:trPr><w:hidden/></w:trPr>${tc('x')}${tc('y')}</w:tr>`,
    ),
    'a | b',
  ],
  [
    'a controlled cell',
    tbl(
      tr(
        tc('a'),
        `<w:sdt><w:sdtPr><w:tag w:val="x"/></w:sdtPr><w:sdtContent>${tc('b')}</w:sdtContent></w:sdt>`,
      ),
    ),
    'a | b',
  ],
  // Fields, links and forms.
  ['a merge field', p(run('Dear ') + field('MERGEFIELD Name', '«Name»') + run(',')), 'Dear «Name»,'],
  [
    'a merge field with a value',
    p(run('Dear ') + field('MERGEFIELD Name \\* MERGEFORMAT', 'Maya')),
    'Dear Maya',
  ],
  [
    'a merge field without a result',
    p(run('Dear ') + field('MERGEFIELD "First name"', null) + run(',')),
    'Dear «First name»,',
  ],
  [
    'a simple merge field',
    p(`${run('Dear ')}<w:fldSimple w:instr=" MERGEFIELD Name ">${run('«Name»')}</w:fldSimple>`),
    'Dear «Name»',
  ],
  [
    'a field in a field',
    p(
      r('<w:fldChar w:fldCharType="begin"/>') +
        r('<w:instrText> IF </w:instrText>') +
        field('MERGEFIELD Plan', 'Pro') +
        r('<w:instrText> = "Pro" "9" "0"</w:instrText>') +
        r('<w:fldChar w:fldCharType="separate"/>') +
        run('9') +
        r('<w:fldChar w:fldCharType="end"/>'),
    ),
    '9',
  ],
  [
    'page numbers',
    p(
      run('Terms ') +
        field('PAGE', '3') +
        run(' of ') +
        `<w:fldSimple w:instr="NUMPAGES">${run('7')}</w:fldSimple>`,
    ),
    'Terms  of',
  ],
  [
    'a tick',
    p(
      `${r('<w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData></w:fldChar>')}${r('<w:instrText>FORMCHECKBOX</w:instrText>')}${r('<w:fldChar w:fldCharType="end"/>')}${run(' express')}`,
    ),
    '☒ express',
  ],
  [
    'a selection',
    p(
      `${r('<w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="North"/><w:listEntry w:val="South"/></w:ddList></w:ffData></w:fldChar>')}${r('<w:fldChar w:fldCharType="end"/>')}`,
    ),
    'South',
  ],
  [
    'a link',
    p(`${run('Use ')}<w:hyperlink r:id="link">${run('the form')}</w:hyperlink>${run('.')}`),
    'Use the form (https://shop.example/returns).',
  ],
  [
    'a link whose text is its address',
    p(`<w:hyperlink r:id="link">${run('shop.example/returns')}</w:hyperlink>`),
    'shop.example/returns',
  ],
  [
    'a link within the document',
    p(`<w:hyperlink w:anchor="_Toc1">${run('Returns')}</w:hyperlink>`),
    'Returns',
  ],
  [
    'controlled text',
    p(`<w:sdt><w:sdtPr><w:alias w:val="x"/></w:sdtPr><w:sdtContent>${run('Maya')}</w:sdtContent></w:sdt>`),
    'Maya',
  ],
  // Text boxes and formulas.
  [
    'a text box for two ages of programs',
    p(
      `${run('Before')}<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>${box(p(run('Boxed')))}</w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>${box(p(run('Boxed')))}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>${run(' after')}`,
    ),
    'Before after\nBoxed',
  ],
  [
    'a text box of an older program',
    p(`<w:r><w:pict><v:textbox>${box(p(run('Boxed')))}</v:textbox></w:pict></w:r>`),
    'Boxed',
  ],
  [
    'a picture that older programs replace by text',
    p(
      `<w:r><mc:AlternateContent><mc:Choice Requires="wpc"><w:drawing/></mc:Choice><mc:Fallback>${t('Boxed')}</mc:Fallback></mc:AlternateContent></w:r>`,
    ),
    'Boxed',
  ],
  ['a table in a text box', p(`<w:r><w:pict>${box(tbl(tr(tc('a'), tc('b'))))}</w:pict></w:r>`), 'a | b'],
  [
    'a text box in a cell',
    tbl(tr(`<w:tc>${p(`${run('cell')}<w:r><w:pict>${box(p(run('box')))}</w:pict></w:r>`)}</w:tc>`, tc('c'))),
    'cell / box | c',
  ],
  [
    'a diagram',
    p(`${run('Steps')}<w:r><w:drawing><dgm:relIds r:dm="diagram"/></w:drawing></w:r>`),
    'Steps\nOrder\nPay',
  ],
  [
    'a fraction',
    p(
      `<m:oMath>${mathRun('x=')}<m:f><m:num>${mathRun('a+b')}</m:num><m:den>${mathRun('2')}</m:den></m:f></m:oMath>`,
    ),
    'x=(a+b)/2',
  ],
  [
    'powers and roots',
    p(
      `<m:oMath><m:sSup><m:e>${mathRun('x')}</m:e><m:sup>${mathRun('2')}</m:sup></m:sSup>${mathRun('+')}<m:rad><m:deg/><m:e>${mathRun('y')}</m:e></m:rad></m:oMath>`,
    ),
    'x^2+√y',
  ],
  [
    'a sum in brackets',
    p(
      `<m:oMath><m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${mathRun('i=1')}</m:sub><m:sup>${mathRun('n')}</m:sup><m:e><m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>${mathRun('a')}</m:e></m:d></m:e></m:nary></m:oMath>`,
    ),
    '∑_(i=1)^n [a]',
  ],
  // Notes, headers and lists.
  [
    'a footnote',
    p(`${run('9 EUR')}${r('<w:footnoteReference w:id="2"/>')}${run(' a month')}`),
    '9 EUR[1] a month\n[1] Without tax.',
  ],
  [
    'an endnote in a table',
    tbl(tr(tc('Pro'), `<w:tc>${p(run('9') + r('<w:endnoteReference w:id="2"/>'))}</w:tc>`)),
    'Pro | 9[1] / [1] Since May.',
  ],
  [
    'a footnote with its own mark',
    p(run('9 EUR') + r('<w:footnoteReference w:customMarkFollows="1" w:id="3"/>') + run('*')),
    '9 EUR*\n* From 2027.',
  ],
  ['a hidden footnote', p(run('9 EUR') + r('<w:footnoteReference w:id="2"/>', '<w:vanish/>')), '9 EUR'],
  [
    'headers and footers that pages have',
    p(run('Text')) +
      '<w:sectPr><w:headerReference w:type="default" r:id="head"/><w:headerReference w:type="first" r:id="first"/><w:headerReference w:type="even" r:id="even"/><w:footerReference w:type="default" r:id="foot"/></w:sectPr>',
    'Text\nNorthwind\nValid from May',
  ],
  [
    'the header of a first page',
    `${p(run('Text'))}<w:sectPr><w:headerReference w:type="first" r:id="first"/><w:titlePg/></w:sectPr>`,
    'Text\nLetter',
  ],
  [
    'a header of several sections',
    p(run('Text'), '<w:sectPr><w:headerReference w:type="default" r:id="head"/></w:sectPr>') +
      '<w:sectPr><w:headerReference w:type="default" r:id="head"/></w:sectPr>',
    'Text\nNorthwind',
  ],
  [
    'a list with numbers',
    p(run('Returns'), '<w:pStyle w:val="Heading"/>') +
      p(run('Costs'), '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>') +
      p(run('Time'), '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>') +
      p(run('Repairs'), '<w:pStyle w:val="Heading"/>') +
      p(run('Costs'), '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>'),
    '1. Returns\n1.1 Costs\n1.2 Time\n2. Repairs\n2.1 Costs',
  ],
  [
    'a list that starts again',
    p(run('One'), '<w:pStyle w:val="Heading"/>') + p(run('Four'), '<w:numPr><w:numId w:val="2"/></w:numPr>'),
    '1. One\n4. Four',
  ],
  [
    'a list with points',
    p(run('One'), '<w:numPr><w:ilvl w:val="2"/><w:numId w:val="1"/></w:numPr>'),
    '• One',
  ],
  [
    'a list with letters',
    p(run('One'), '<w:numPr><w:ilvl w:val="3"/><w:numId w:val="1"/></w:numPr>') +
      p(run('Two'), '<w:numPr><w:ilvl w:val="3"/><w:numId w:val="1"/></w:numPr>'),
    'c) One\nd) Two',
  ],
  [
    'a heading without its number',
    p(run('Returns'), '<w:pStyle w:val="Heading"/><w:numPr><w:numId w:val="0"/></w:numPr>'),
    'Returns',
  ],
])('reads %s as a reader of the document sees it', async (_what, body, text) => {
  const level = (number: number, format: string, label: string, start = 1) =>
    `<w:lvl w:ilvl="${number}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${label}"/></w:lvl>`
  const note = (kind: string, text: string) =>
    wordPart(
      `${kind}s`,
      `<w:${kind} w:type="separator" w:id="-1">${p(run('line'))}</w:${kind}><w:${kind} w:id="2">${p(r(`<w:${kind}Ref/>`) + run(text))}</w:${kind}><w:${kind} w:id="3">${p(run('* From 2027.'))}</w:${kind}>`,
    )
  const parts = {
    'word/_rels/document.xml.rels': relationships([
      ['styles', 'styles', 'styles.xml'],
      ['lists', 'numbering', 'numbering.xml'],
      ['notes', 'footnotes', '/word/footnotes.xml'],
      ['ends', 'endnotes', 'endnotes.xml'],
      ['comments', 'comments', 'comments.xml'],
      ['head', 'header', 'header1.xml'],
      ['first', 'header', 'header2.xml'],
      ['even', 'header', 'header3.xml'],
      ['foot', 'footer', 'footer1.xml'],
      ['diagram', 'diagramData', 'diagrams/data1.xml'],
      ['link', 'hyperlink', 'https://shop.example/returns'],
    ]),
    'word/styles.xml': wordPart(
      'styles',
      `<w:style w:type="character" w:styleId="Hidden"><w:rPr><w:vanish/></w:rPr></w:style>
       <w:style w:type="character" w:styleId="Secret"><w:basedOn w:val="Hidden"/></w:style>
       <w:style w:type="paragraph" w:styleId="Inner"><w:rPr><w:vanish/></w:rPr></w:style>
       <w:style w:type="paragraph" w:styleId="Heading"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`,
    ),
    'word/numbering.xml': wordPart(
      'numbering',
      `<w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '%1.')}${level(1, 'decimal', '%1.%2')}${level(2, 'bullet', '\uf0b7')}${level(3, 'lowerLetter', '%4)', 3)}</w:abstractNum>
       <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
       <w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="4"/></w:lvlOverride></w:num>`,
    ),
    'word/footnotes.xml': note('footnote', 'Without tax.'),
    'word/endnotes.xml': note('endnote', 'Since May.'),
    'word/comments.xml': wordPart('comments', `<w:comment w:id="0">${p(run('A remark'))}</w:comment>`),
    'word/header1.xml': wordPart('hdr', p(run('Northwind'))),
    'word/header2.xml': wordPart('hdr', p(run('Letter'))),
    'word/header3.xml': wordPart('hdr', p(run('Even'))),
    'word/footer1.xml': wordPart('ftr', p(run('Valid from May'))),
    'word/diagrams/data1.xml': wordPart('x', '<a:p><a:t>Order</a:t></a:p><a:p><a:t>Pay</a:t></a:p>'),
  }
  expect(await textOf(docx(wordXml(body), { parts }))).toBe(text)
})

test('keeps the rows of a table together in a file of another program', async () => {
  const bytes = await readFile(new URL('../fixtures/knowledge/word-tables.docx', import.meta.url))
  expect(await textOf(bytes)).toBe('Above\nTop left | Top right\nBottom left | Bottom right\nBelow')
})

test('reads a document whose namespaces have other prefixes, or are those of the strict format', async () => {
  const table = tbl(tr(tc('a'), tc('b')))
  const other = wordXml(table).replaceAll('w:', 'ns0:').replace('xmlns:w=', 'xmlns:ns0=')
  const strict = wordXml(table).replace(
    'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
    'http://purl.oclc.org/ooxml/wordprocessingml/main',
  )
  for (const xml of [other, strict, Buffer.from(`\ufeff${wordXml(table)}`, 'utf16le')])
    expect(await textOf(docx(xml))).toBe('a | b')
})

test('puts the names of the columns above each passage of a table that has them', async () => {
  const rows = Array.from({ length: 60 }, (_, row) =>
    tr(tc(`Zone ${row}`), tc('between 4 and 6 working days')),
  )
  const head = `<w:tr><w:trPr><w:tblHeader/></w:trPr>${tc('Zone')}${tc('Time')}</w:tr>`
  const passages = (await textOf(docx(wordXml(tbl(head, ...rows) + p(run('The end.')))))).split(
    '\nZone | Time\n',
  )
  expect(passages).toHaveLength(3)
  expect(passages.join('\n').split('\n')).toHaveLength(62)
})
