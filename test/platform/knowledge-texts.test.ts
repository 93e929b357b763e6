import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decode, encode } from 'iconv-lite'
import { expect, onTestFinished, test } from 'vitest'
import { type ReadJob, readKnowledgeFile } from '#main/platform/knowledge/read-file.ts'

/** Returns what is found in a file, and its text. */
async function read(name: string, bytes: Uint8Array | string, reading: Partial<ReadJob> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'custom-connection-texts-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'file')
  await writeFile(path, bytes)
  const facts = await readKnowledgeFile({ path, textPath: `${path}.text`, name, ...reading })
  const lines = (await readFile(`${path}.text`, 'utf8')).split('\n').filter(line => line !== '')
  const passages = lines.map(line => JSON.parse(line))
  return { facts, passages, text: passages.map(([, , text]) => text).join('\n') }
}

/** A text and a table of each language, and the encodings that programs of its countries save it in. */
const written = [
  {
    language: 'Polish',
    encodings: ['win1250', 'iso-8859-2', 'cp852', 'maccenteuro'],
    text: 'Zwrot towaru jest możliwy w ciągu trzydziestu dni. Koszty wysyłki ponosi kupujący. Proszę dołączyć paragon. Źle wypełniony formularz może opóźnić zwrot pieniędzy.',
    rows: ['Strefa;Cena', 'Łódź;4,90', 'Kraków;5,20'],
  },
  {
    language: 'Czech',
    encodings: ['win1250', 'iso-8859-2', 'cp852', 'maccenteuro'],
    text: 'Zboží můžete vrátit do třiceti dnů od převzetí. Poštovné hradí kupující. Přiložte prosím účtenku a číslo účtu.',
    rows: ['Zóna;Cena', 'Plzeň;4,90', 'České Budějovice;5,20'],
  },
  {
    language: 'Hungarian',
    encodings: ['win1250', 'iso-8859-2', 'cp852'],
    text: 'Az áru harminc napon belül visszaküldhető. A visszaküldés költségét a vevő fizeti. Köszönjük, hogy minket választott, ha megőrzik a gyűjtőcsomagolást.',
    rows: ['Övezet;Ár', 'Győr;4,90', 'Székesfehérvár;5,20'],
  },
  {
    language: 'German',
    encodings: ['win1252', 'iso-8859-1', 'iso-8859-15', 'cp850', 'cp437', 'macroman'],
    text: 'Die Rückgabe ist innerhalb von dreißig Tagen möglich. Die Kosten für die Rücksendung trägt der Käufer. Größere Mengen auf Anfrage.',
    rows: ['Zone;Preis', 'Köln;4,90', 'Zürich;5,20'],
  },
  {
    language: 'French',
    encodings: ['win1252', 'iso-8859-15', 'cp850', 'macroman'],
    text: 'Le retour est possible dans les trente jours après la réception. Veuillez joindre le reçu à votre colis, et garder le numéro où il a été noté.',
    rows: ['Zone;Prix', 'Orléans;4,90', 'Besançon;5,20'],
  },
  {
    language: 'Russian',
    encodings: ['win1251', 'koi8-r', 'iso-8859-5', 'cp866', 'maccyrillic'],
    text: 'Возврат товара возможен в течение тридцати дней. Стоимость доставки оплачивает покупатель. Пожалуйста, приложите чек и номер счёта.',
    rows: ['Зона;Цена', 'Москва;4,90', 'Тверь;5,20'],
  },
  {
    language: 'Greek',
    encodings: ['win1253', 'iso-8859-7', 'cp737'],
    text: 'Η επιστροφή του προϊόντος είναι δυνατή μέσα σε τριάντα ημέρες. Τα έξοδα αποστολής πληρώνει ο αγοραστής.',
    rows: ['Ζώνη;Τιμή', 'Αθήνα;4,90', 'Πάτρα;5,20'],
  },
  {
    language: 'Turkish',
    encodings: ['win1254', 'iso-8859-9', 'cp857'],
    text: 'Ürün otuz gün içinde iade edilebilir. Kargo ücretini alıcı öder. Lütfen fişi ve hesap numarasını ekleyiniz. Siparişiniz için teşekkür ederiz, iyi günler dileğiyle.',
    rows: ['Bölge;Fiyat', 'İstanbul;4,90', 'Eskişehir;5,20'],
  },
  {
    language: 'Japanese',
    encodings: ['shift_jis', 'euc-jp'],
    text: '商品は三十日以内に返品できます。送料はお客様のご負担となります。領収書と口座番号を同封してください。',
    rows: ['地域;価格', '東京;4.90', '大阪;5.20'],
  },
  {
    language: 'Chinese',
    encodings: ['gb18030', 'gbk'],
    text: '商品可以在三十天内退货。运费由买家承担。请附上收据和银行账号。营业时间为周一至周五上午九点到下午五点。',
    rows: ['地区;价格', '北京;4.90', '上海;5.20'],
  },
  {
    language: 'traditional Chinese',
    encodings: ['big5'],
    text: '商品可以在三十天內退貨。運費由買家承擔。請附上收據和銀行帳號。營業時間為週一至週五上午九點到下午五點。',
    rows: ['地區;價格', '台北;4.90', '高雄;5.20'],
  },
  {
    language: 'Korean',
    encodings: ['euc-kr', 'cp949'],
    text: '상품은 삼십일 이내에 반품할 수 있습니다. 배송비는 구매자가 부담합니다. 영수증과 계좌번호를 첨부해 주세요.',
    rows: ['지역;가격', '서울;4.90', '부산;5.20'],
  },
]
const cases = written.flatMap(({ language, encodings, ...texts }) =>
  [...encodings, 'utf8', 'utf16-le', 'utf-16be'].map(encoding => ({ language, encoding, ...texts })),
)

test.each(cases)('reads $language in $encoding', async ({ encoding, text, rows }) => {
  const { facts, text: found } = await read('a.txt', encode(text, encoding))
  expect(found).toBe(text)
  expect(facts.warnings).toEqual([])
  const [head = '', ...others] = rows
  const [first = '', second = ''] = head.split(';')
  // A few letters only tell the likely encoding, and a warning says so.
  const table = await read('a.csv', encode(`${rows.join('\r\n')}\r\n`, encoding))
  const told = others.map(row => row.split(';')).map(([a, b]) => `${first}: ${a}; ${second}: ${b}`)
  expect(table.text).toBe(told.join('\n'))
  expect(table.facts).toMatchObject({ kind: 'csv', separator: ';', rows: 2 })
})

test('never reads a wrong letter without a warning, however short the text', async () => {
  for (const { encoding, text, rows } of cases)
    for (const short of [...text.split(/[ 。]/), ...rows]) {
      if (!/[^\0-\x7f]/.test(short) || decode(encode(short, encoding), encoding) !== short) continue
      const { facts, text: found } = await read('a.txt', encode(short, encoding, { addBOM: true }))
      if (facts.warnings.length === 0) expect(found, encoding).toBe(short)
    }
})

test('reads a file in the encoding that is chosen, and says what is not in it', async () => {
  const bytes = encode('Łódź', 'win1250')
  expect(await read('a.txt', bytes, { encoding: 'windows-1250' })).toMatchObject({
    text: 'Łódź',
    facts: { encoding: 'windows-1250', detail: 'Windows-1250', warnings: [] },
  })
  expect(await read('a.txt', bytes, { encoding: 'windows-1251' })).toMatchObject({ text: 'Јуdџ' })
  const wrong = await read('a.txt', bytes, { encoding: 'utf-8' })
  expect(wrong.facts.warnings).toEqual([{ code: 'lost_characters', message: '3 characters are not UTF-8' }])
})

test('reads UTF-8 with a character that is cut, and says so', async () => {
  const bytes = Buffer.from('Größe: möglich, Zürich, Köln, äöü').subarray(0, -1)
  const { facts, text } = await read('a.txt', bytes)
  expect(text).toBe('Größe: möglich, Zürich, Köln, äö\ufffd')
  expect(facts).toMatchObject({ encoding: 'utf-8', warnings: [{ code: 'lost_characters' }] })
})

test.each([
  ['Japanese with escapes', Buffer.from('\u001b$B>&IJ\u001b(B 5\n', 'latin1'), '商品 5'],
  ['the end of a DOS file', 'Open daily.\r\n\u001a', 'Open daily.'],
  ['zeros at the end', 'Open daily.\n\0\0\0\0\0\0\0\0', 'Open daily.'],
  [
    'a control character',
    'Open\u0007daily from 9 to 17, also on holidays.\n',
    'Open daily from 9 to 17, also on holidays.',
  ],
  ['colours', '\u001b[31mOpen\u001b[0m daily\n', 'Open daily'],
  ['other line ends', 'One\vTwo\fThree\u2028Four\rFive', 'One\nTwo\nThree\nFour\nFive'],
  ['UTF-16 without a mark', Buffer.from('Open daily.\nKöln\n', 'utf16le'), 'Open daily.\nKöln'],
  [
    'UTF-16 without a mark, big-endian',
    Buffer.from('商品は返品できます。\n', 'utf16le').swap16(),
    '商品は返品できます。',
  ],
])('reads %s', async (_what, bytes, text) => {
  const found = await read('a.txt', bytes)
  expect(found.text).toBe(text)
  expect(found.facts.warnings).toEqual([])
})

test.each([
  [
    'the line by which Excel learns the separator',
    'sep=;\r\nzone;price\r\nNorth;4,90\r\n',
    ';',
    'zone: North; price: 4,90',
  ],
  [
    'such a line that contradicts what is likely',
    'sep=|\nzone, region|price, net\nA, B|4,90\n',
    '|',
    'zone, region: A, B; price, net: 4,90',
  ],
  [
    'commas in the header, and decimal commas',
    'Zone;Preis, netto\nA;4,90\nB;5,20\n',
    ';',
    'Zone: A; Preis, netto: 4,90\nZone: B; Preis, netto: 5,20',
  ],
  [
    'commas in every row',
    'Name;Ort\nMay, A.;Bonn, D\nRoy, B.;Gent, B\n',
    ';',
    'Name: May, A.; Ort: Bonn, D\nName: Roy, B.; Ort: Gent, B',
  ],
  ['semicolons in cells', 'name,tags\nA,x;y\nB,z\n', ',', 'name: A; tags: x;y\nname: B; tags: z'],
  ['a space before a quotation', 'a, b\n1, "x, y"\n', ',', 'a: 1; b: x, y'],
  ['spaces after a quotation', 'a,b\n"x, y" ,2\n', ',', 'a: x, y; b: 2'],
  ['quotations in a quotation', 'a,b\n"say ""hi"", then go",2\n', ',', 'a: say "hi", then go; b: 2'],
  ['a quotation within a cell', 'a,b\n5" pipe,2\n', ',', 'a: 5" pipe; b: 2'],
  ['line breaks in a quotation', 'a,b\n"x\ny",2\n', ',', 'a: x\ny; b: 2'],
  ['tabs', 'a\tb\n1, 2\t3; 4\n', '\t', 'a: 1, 2; b: 3; 4'],
  ['vertical bars', 'a|b\n1|2\n', '|', 'a: 1; b: 2'],
  ['a mark of the encoding', '\ufeff"a","b"\n1,2\n', ',', 'a: 1; b: 2'],
  ['empty cells', 'a;b;c\n1;;3\n;2;\n', ';', 'a: 1; c: 3\nb: 2'],
  ['a column without a name', 'a;;c\n1;2;3\n', ';', 'a: 1; 2; c: 3'],
  [
    'a title above the table',
    'Prices 2026;;\n\nzone;price;days\nA;1;2\n',
    ';',
    'Prices 2026\nzone: A; price: 1; days: 2',
  ],
  [
    'a title of several cells above an empty row',
    'Prices,2026,,\n,,,\nzone,price,days,note\nA,1,2,x\n',
    ',',
    'Prices; 2026\nzone: A; price: 1; days: 2; note: x',
  ],
  [
    'a title of several cells above an empty line',
    'Prices;2026\n\nzone;price;days\nA;1;2\nB;3;4\n',
    ';',
    'Prices; 2026\nzone: A; price: 1; days: 2\nzone: B; price: 3; days: 4',
  ],
  ['an empty row below its header', 'zone;;price\n\nA;1;2\n', ';', 'zone: A; 1; price: 2'],
  ['an empty row below a whole header', 'zone;price\n;\nA;1\n', ';', 'zone: A; price: 1'],
  ['a numbered row without a name', ',price\n0,5\n1,6\n', ',', '0; price: 5\n1; price: 6'],
  ['one column', 'zone\nNorth\nSouth\n', ',', 'zone: North\nzone: South'],
  ['a header alone', 'zone;price\n', ';', 'zone; price'],
])('reads a table with %s', async (_what, text, separator, told) => {
  const found = await read('a.csv', text)
  expect(found.text).toBe(told)
  expect(found.facts).toMatchObject({ separator, warnings: [] })
})

test('numbers the rows as a spreadsheet does, which leaves the line of the separator out', async () => {
  const { passages } = await read('a.csv', 'sep=;\nzone;price\nNorth;4,90\n')
  expect(passages).toEqual([[2, 2, 'zone: North; price: 4,90']])
})

test('says when two separators are as likely, and reads by the one that is chosen', async () => {
  const text = 'id,tags;labels\n1,a;b\n2,c;d\n'
  const guessed = await read('a.csv', text)
  expect(guessed.facts.warnings).toEqual([
    { code: 'uncertain_separator', message: 'Perhaps not separated by semicolons' },
  ])
  const chosen = await read('a.csv', text, { separator: ',' })
  expect(chosen.text).toBe('id: 1; tags;labels: a;b\nid: 2; tags;labels: c;d')
  expect(chosen.facts.warnings).toEqual([])
  const asTable = await read('a.txt', 'id,tags\n1,a\n', { separator: ',' })
  expect(asTable).toMatchObject({ text: 'id: 1; tags: a', facts: { kind: 'csv', nameFits: false } })
})

test('reads the rows below a quotation that is not closed', async () => {
  const { facts, text } = await read('a.csv', 'a,b\n"x,1\ny,2\n"z",3\n')
  expect(text).toBe('a: "x; b: 1\na: y; b: 2\na: z; b: 3')
  expect(facts.warnings).toEqual([{ code: 'open_quote', message: 'Row 2: a quotation mark is not closed' }])
})

test.each([
  ['a quotation that goes on after its end', 'a,b\n"x" y,2\n"z, z",3\n', 'a: "x" y; b: 2\na: z, z; b: 3'],
  ['a quotation within a quotation', 'a,b\n"say "hi" now",2\n', 'a: say "hi" now; b: 2'],
  ['an empty quotation below one that is not closed', 'a,b\n"x,1\n"",2\n', 'a: "x; b: 1\nb: 2'],
])('reads a table with %s', async (_what, text, told) => {
  expect((await read('a.csv', text)).text).toBe(told)
})

// Far longer than a reader has that looks for the end of each quotation by itself.
test.each([
  ['a line of a million', `a,b\n1,${'"x" '.repeat(1_000_000)}\n2,"${'""'.repeat(1_000_000)}\n`],
  ['a line of many cells, and a long one', `a,b\n${'"x,'.repeat(16_000)}${'y'.repeat(4_000_000)}\n"z",2\n`],
  ['lines of many cells', `a,b\n${`${'"x,'.repeat(16_000)}\n`.repeat(50)}"z",2\n`],
  ['doubled ones', `a,b\n${'"""x,'.repeat(16_000)}${'""'.repeat(1_000_000)}\n"z",2\n`],
])('reads quotations that are not closed: %s', async (_what, text) => {
  const { facts } = await read('a.csv', text)
  expect(facts.warnings).toContainEqual(expect.objectContaining({ code: 'open_quote' }))
})

test('refuses a table with more columns than spreadsheets have', async () => {
  const row = Array(1_000_000).fill('a').join(',')
  await expect(read('a.csv', `${row}\n${row}\n`)).rejects.toMatchObject({ code: 'file_too_complex' })
})

test('refuses an encoding for a file that is not text', async () => {
  await expect(read('a.pdf', '%PDF-1.7\n%%EOF\n', { encoding: 'utf-8' })).rejects.toMatchObject({
    code: 'invalid_input',
  })
})
