import { describe, expect, test } from 'vitest'
import { openOwnSender } from '../support/own-sender.ts'

const crlf = '\r\n'
/** Writes parts, each with its headers and its content, as a body of multipart/form-data. */
function multipart(
  parts: readonly (readonly [head: string, content: string | Buffer])[],
  boundary = 'b0und',
) {
  const pieces = parts.flatMap(([head, content]) => [
    Buffer.from(`--${boundary}${crlf}${head}${crlf}${crlf}`),
    Buffer.from(content),
    Buffer.from(crlf),
  ])
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--${crlf}`)])
}
const field = (name: string, value: string) =>
  [`Content-Disposition: form-data; name="${name}"`, value] as const
const ofType = (boundary = 'b0und') => ({ 'Content-Type': `multipart/form-data; boundary=${boundary}` })

/** Returns what is read of a body: `{event, data}`, or the code of its refusal. */
async function read(fields: object, body: string | Buffer, headers = {}) {
  const { post, texts } = await openOwnSender(fields)
  const { error } = await post(body, headers)
  const [text = ''] = await texts()
  return error ?? JSON.parse(text)
}

describe('multipart', () => {
  const fields = { body: 'multipart' }

  test('fields are texts, files have their contents, and a name that repeats is a list', async () => {
    const image = Buffer.from([0, 255, 13, 10, 45, 45, 98])
    const file = [
      'Content-Disposition: form-data; name="attachment"; filename="a %22b\\".png"',
      'content-TYPE: image/png',
    ]
    const body = multipart([
      field('type', 'delivered'),
      field('to', 'ä@example.com'),
      field('to', ''),
      [file.join(crlf), image],
      ['Content-Disposition: form-data; filename=c.bin; name=plain', Buffer.alloc(0)],
    ])
    expect(await read(fields, body, ofType())).toEqual({
      event: 'delivered',
      data: {
        ...{ type: 'delivered', to: ['ä@example.com', ''] },
        attachment: { name: 'a "b".png', type: 'image/png', size: 7, base64: image.toString('base64') },
        plain: { name: 'c.bin', type: 'application/octet-stream', size: 0, base64: '' },
      },
    })
  })

  test('the contents of a file above 1 MiB are left out', async () => {
    const { fixture, post, texts } = await openOwnSender(fields, {
      settings: { maxBodyBytes: 4 * 1024 * 1024 },
    })
    const head = (name: string) => `Content-Disposition: form-data; name="${name}"; filename="f"`
    const body = multipart([
      field('type', 'a'),
      [head('large'), Buffer.alloc(1024 * 1024 + 1)],
      [head('small'), Buffer.alloc(1024 * 1024)],
    ])
    expect(await post(body, ofType())).toMatchObject({ status: 200 })
    const { data } = JSON.parse((await texts())[0] ?? '')
    expect(data.large).toEqual({ name: 'f', type: 'application/octet-stream', size: 1024 * 1024 + 1 })
    expect(Buffer.from(data.small.base64, 'base64')).toHaveLength(1024 * 1024)
    expect(fixture.outcomes).toMatchObject([{ kind: 'event.accepted', stored: true }])
  })

  test('a field named __proto__ is a field', async () => {
    const { post, texts } = await openOwnSender(fields)
    await post(multipart([field('type', 'a'), field('__proto__', 'x')]), ofType())
    expect(await texts()).toEqual(['{"event":"a","data":{"type":"a","__proto__":"x"}}'])
  })

  const whole = multipart([field('type', 'a'), field('b', 'c')])
  test.each<[string, string | Buffer, object, string]>([
    ['without an end', whole.subarray(0, -6), ofType(), 'invalid_json'],
    ['cut within a part', whole.subarray(0, 80), ofType(), 'invalid_json'],
    ['with something after its end', Buffer.concat([whole, Buffer.from('x')]), ofType(), 'invalid_json'],
    [
      'with something before its start',
      Buffer.concat([Buffer.from('x\r\n'), whole]),
      ofType(),
      'invalid_json',
    ],
    ['with another boundary', whole, ofType('other'), 'invalid_json'],
    ['with a longer boundary', whole, ofType('b0und2'), 'invalid_json'],
    ['with a shorter boundary', whole, ofType('b0un'), 'invalid_json'],
    ['without a boundary', whole, { 'Content-Type': 'multipart/form-data' }, 'invalid_json'],
    ['with too long a boundary', whole, ofType('b'.repeat(71)), 'invalid_json'],
    ['of another type', whole, { 'Content-Type': 'multipart/mixed; boundary=b0und' }, 'invalid_json'],
    ['with a part without a name', multipart([['Content-Type: text/plain', 'a']]), ofType(), 'invalid_json'],
    [
      'with a field that is not UTF-8',
      multipart([[field('a', '')[0], Buffer.of(255)]]),
      ofType(),
      'invalid_json',
    ],
    ['with a huge head', multipart([[`X: ${'y'.repeat(9000)}`, 'a']]), ofType(), 'invalid_json'],
    [
      'with 1,001 fields',
      multipart(Array.from({ length: 1001 }, () => field('a', ''))),
      ofType(),
      'too_many_fields',
    ],
    [
      'with 10,000 fields',
      multipart(Array.from({ length: 10_000 }, () => field('a', ''))),
      ofType(),
      'too_many_fields',
    ],
    ['with lines of Unix', whole.toString().replaceAll(crlf, '\n'), ofType(), 'invalid_json'],
    ['that is empty', '', ofType(), 'invalid_json'],
  ])('a body %s is refused', async (_, body, headers, error) => {
    expect(await read(fields, body, headers)).toBe(error)
  })

  test('a form of 1,000 fields is taken, also with a boundary in quotes', async () => {
    const parts = [field('type', 'a'), ...Array.from({ length: 999 }, (_, n) => field(`f${n}`, ''))]
    const headers = { 'Content-Type': 'Multipart/Form-Data; charset=utf-8; boundary="b 0;und"' }
    expect(await read(fields, multipart(parts, 'b 0;und'), headers)).toMatchObject({ event: 'a' })
  })

  test('what is JSON is JSON', async () => {
    expect(await read(fields, '{"type":"a","n":1}', ofType())).toEqual({
      event: 'a',
      data: { type: 'a', n: 1 },
    })
  })
})

describe('text', () => {
  const fields = { body: 'text', eventName: [{ path: 'type' }, { constant: 'line' }] }
  test.each<[string, unknown]>([
    ['Disk full on web-1', { event: 'line', data: { text: 'Disk full on web-1' } }],
    ['[ERROR] "x', { event: 'line', data: { text: '[ERROR] "x' } }],
    ['<b>', { event: 'line', data: { text: '<b>' } }],
    ['a=1&b=2', { event: 'line', data: { text: 'a=1&b=2' } }],
    ['42', { event: 'line', data: { text: '42' } }],
    ['"hi"', { event: 'line', data: { text: '"hi"' } }],
    ['null', { event: 'line', data: { text: 'null' } }],
    ['', { event: 'line', data: { text: '' } }],
    ['{"type":"json","n":1}', { event: 'json', data: { type: 'json', n: 1 } }],
    ['[{"type":"a"}]', 'invalid_data'],
    [`{"type":"a","deep":${'['.repeat(1001)}${']'.repeat(1001)}}`, 'invalid_json'],
  ])('%j', async (body, expected) => expect(await read(fields, body)).toEqual(expected))

  test('a body that is not UTF-8 is refused', async () => {
    expect(await read(fields, Buffer.of(104, 255))).toBe('invalid_json')
  })
})

describe('XML', () => {
  const fields = { body: 'xml', eventName: { path: 'order.@type' }, data: { path: 'order' } }

  test('elements are fields, attributes have an @, and a name that repeats is a list', async () => {
    const xml = `\ufeff<?xml version="1.0" encoding="UTF-8"?>
      <!-- comment -->
      <order type="paid" xmlns:p="urn:p">
        <id>00123456789012345678901</id>
        <p:line sku="A-1">2 &lt; 3 &#228;</p:line><p:line/>
        <note><![CDATA[<b> & ]]>end</note>
        <p>some <b>bold</b> text</p>
      </order>`
    expect(await read(fields, xml)).toEqual({
      event: 'paid',
      data: {
        ...{ '@type': 'paid', '@xmlns:p': 'urn:p', id: '00123456789012345678901' },
        'p:line': [{ '@sku': 'A-1', '#text': '2 < 3 ä' }, ''],
        note: '<b> & end',
        p: { b: 'bold', '#text': 'some  text' },
      },
    })
  })

  test('items of a list are events, and __proto__ is a field', async () => {
    const { post, texts } = await openOwnSender({ body: 'xml', data: { items: 'list.e' } })
    expect(
      await post('<list><e><type>a</type><__proto__>1</__proto__></e><e><type>b</type></e></list>'),
    ).toEqual({
      ...{ status: 200, ok: true, events: 2 },
    })
    expect(await texts()).toEqual([
      '{"event":"a","data":{"type":"a","__proto__":"1"}}',
      '{"event":"b","data":{"type":"b"}}',
    ])
  })

  const nested = (levels: number) =>
    `<order type="a">${'<a>'.repeat(levels - 1)}${'</a>'.repeat(levels - 1)}</order>`
  const elements = (count: number) => `<order type="a">${'<a/>'.repeat(count - 2)}</order>`

  test('64 levels and 10,000 elements and attributes are taken', async () => {
    expect(await read(fields, nested(64))).toMatchObject({ event: 'a' })
    expect(await read(fields, elements(10_000))).toMatchObject({ event: 'a' })
  })

  test.each<[string, string | Buffer, string]>([
    ['a DOCTYPE', '<!DOCTYPE order><order type="a"/>', 'invalid_json'],
    [
      'entities',
      '<!DOCTYPE o [<!ENTITY x "y"><!ENTITY z "&x;&x;">]><order type="a">&z;</order>',
      'invalid_json',
    ],
    ['an external entity', '<!DOCTYPE o SYSTEM "file:///etc/passwd"><order type="a"/>', 'invalid_json'],
    ['an unknown entity', '<order type="a">&nbsp;</order>', 'invalid_json'],
    ['65 levels', nested(65), 'invalid_json'],
    ['10,000 levels', nested(10_000), 'invalid_json'],
    ['10,001 elements', elements(10_001), 'too_many_fields'],
    [
      '10,001 attributes',
      `<order type="a" ${Array.from({ length: 10_000 }, (_, n) => `a${n}="1"`).join(' ')}/>`,
      'too_many_fields',
    ],
    ['no end', '<order type="a">', 'invalid_json'],
    ['two outermost elements', '<order type="a"/><order type="b"/>', 'invalid_json'],
    ['text alone', 'order', 'invalid_json'],
    ['nothing', '', 'invalid_json'],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from('<order>'), Buffer.of(255)]), 'invalid_json'],
  ])('%s is refused', async (_, body, error) => expect(await read(fields, body)).toBe(error))

  test('JSON is JSON', async () => {
    expect(await read(fields, '{"order":{"@type":"a"}}')).toEqual({ event: 'a', data: { '@type': 'a' } })
  })
})

describe('forms', () => {
  const ofForm = { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' }
  const asForm = { event: 'a', data: { type: 'a', n: '1' } }
  test.each<[string | undefined, object, unknown]>([
    // Stored templates without a format, as before: the header must say that it is a form.
    [undefined, ofForm, asForm],
    [undefined, {}, 'invalid_json'],
    // No signature covers the header, so it decides nothing where the scheme says form.
    ['form', ofForm, asForm],
    ['form', { 'Content-Type': 'application/json' }, asForm],
    ['form', {}, asForm],
    ['json', ofForm, 'invalid_json'],
    ['xml', ofForm, 'invalid_json'],
    ['multipart', ofForm, 'invalid_json'],
  ])('a template of the format %s with the headers %j', async (format, headers, expected) => {
    expect(await read(format === undefined ? {} : { body: format }, 'type=a&n=1', headers)).toEqual(expected)
  })

  test.each(['{"type":"a","n":"1"}', '{"type":"a","n":"1"}\n'])(
    'JSON is JSON, whatever its header says: %j',
    async body => {
      expect(await read({ body: 'form' }, body, ofForm)).toEqual(asForm)
    },
  )

  test('a form of 10,000 fields is refused', async () => {
    expect(await read({ body: 'form' }, 'type=a&'.repeat(10_000))).toBe('too_many_fields')
  })
})
