import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseExact } from '#shared/json/exact-json.ts'
import { createRenderer, InvalidVariable, maxRendered, RenderedTooLarge } from '#shared/workflows/renderer.ts'
import type { Scope } from '#shared/workflows/scope.ts'
import { soleVariable, variablesIn } from '#shared/workflows/templates.ts'

const payload = parseExact(`{
  "eventName": "order.paid", "connectionId": "conn_1", "order_id": "ORD-1", "total": 149.00, "exact": 9007199254740993,
  "paid": true, "note": null, "customer": {"name": "Maya"}, "lines": [{"sku": "KB-87", "quantity": 2}],
  "steps": "own", "item": "own item", "__proto__": {"x": 1},
  "fields": {"context.text": "dotted", "first name": {"b": "spaced"}, "say \\"hi\\"": "quoted", "it's": "single",
    "a[0]": "bracketed", "}}": "braces", "": "empty", "ü": "umlaut", "back\\\\slash": "slash", "tab\\t": "tab"},
  "odd key": "top", "price(EUR)": 5, "@id": "at", "$ref": "dollar", "xml:lang": "colon", "content-type": "dash"
}`) as Record<string, unknown>
const scope: Scope = { payload, steps: new Map([['reserve', { id: 'rsv_1', until: null }]]) }
const render = (template: string, given = scope) => createRenderer(given).value(template)

describe('a template', () => {
  test.each([
    ['Order {{order_id}} paid: {{total}} {{eventName}}', 'Order ORD-1 paid: 149.00 order.paid'],
    ['{{customer.name}} / {{ lines.0.sku }}', 'Maya / KB-87'],
    ['{{lines[0].sku}}', 'KB-87'],
    ['{{lines.0.quantity}}', 2],
    ['{{paid}}', true],
    ['{{note}}', null],
    ['[{{note}}]', '[]'],
    ['{{customer}}', { name: 'Maya' }],
    ['c: {{customer}}', 'c: {"name":"Maya"}'],
    ['{{steps.reserve.id}}', 'rsv_1'],
    ['{{event.steps}}', 'own'],
    ['{{item}}', 'own item'],
    ['{{__proto__.x}}', 1],
    ['no variable {a} } }} {', 'no variable {a} } }} {'],
    ['{{{order_id}}}', '{ORD-1}'],
    ['{{fields["context.text"]}}', 'dotted'],
    ["{{fields['context.text']}}", 'dotted'],
    ['<{{ fields["first name"].b }}>', '<spaced>'],
    ['{{fields["first name"]["b"]}}', 'spaced'],
    ['{{fields["say \\"hi\\""]}}', 'quoted'],
    [`{{fields['say "hi"']}}`, 'quoted'],
    [`{{fields["it's"]}}{{fields['it\\'s']}}`, 'singlesingle'],
    ['{{fields["a[0]"]}}', 'bracketed'],
    ['{{fields["}}"]}}', 'braces'],
    ['{{fields[""]}}', 'empty'],
    ['{{fields["\\u00fc"]}}{{fields.ü}}', 'umlautumlaut'],
    ['{{fields["back\\\\slash"]}}', 'slash'],
    ['{{fields["tab\\t"]}}', 'tab'],
    ['{{["odd key"]}}', 'top'],
    ['{{event["odd key"]}}', 'top'],
    ['{{["order_id"]}}', 'ORD-1'],
    ['{{steps["reserve"]["id"]}}', 'rsv_1'],
    ['{{lines[0]["sku"]}}', 'KB-87'],
    ['{{price(EUR)}}', 5],
    ['{{@id}} {{event.$ref}} {{xml:lang}} {{content-type}}', 'at dollar colon dash'],
  ])('%s becomes %j', (template, expected) => {
    expect(render(template)).toEqual(expected)
  })

  test.each(['total', 'exact'])('keeps the digits of {{%s}}, alone and within text', name => {
    const digits = name === 'total' ? '149.00' : '9007199254740993'
    expect(JSON.stringify(render(`{{${name}}}`))).toBe(digits)
    expect(render(`= {{${name}}}`)).toBe(`= ${digits}`)
    expect(JSON.stringify(createRenderer(scope).json({ list: [`{{${name}}}`] }))).toBe(`{"list":[${digits}]}`)
  })

  test.each([
    'nothing',
    'toString',
    'constructor',
    'lines.length',
    'lines.1',
    'lines.00',
    'lines.-1',
    'order_id.0',
    'total.rawJSON',
    'steps.other',
    'steps',
    'customer.name.first',
    'customer.constructor',
  ])('becomes empty text and notes the variable where {{%s}} has no value', path => {
    const renderer = createRenderer(scope)
    expect([renderer.value(`{{${path}}}`), renderer.text(`<{{${path}}}>`)]).toEqual(['', '<>'])
    expect([...renderer.absent]).toEqual([path])
  })

  test.each([
    ...[
      '{{}}',
      '{{ }}',
      '{{a b}}',
      '{{.a}}',
      '{{a..b}}',
      '{{a.}}',
      '{{a',
      '{{ order_id }',
      '{{a\n}}',
      'x {{ {{',
    ],
    ...['{{total * 2}}', '{{total*2}}', '{{total + 1}}', '{{a ? b : c}}', '{{a || "b"}}', '{{!paid}}'],
    ...[
      '{{order_id | upcase}}',
      '{{order_id|upcase}}',
      '{{ total | round: 2 }}',
      '{{now()}}',
      '{{upper(order_id)}}',
    ],
    ...['{{#if paid}}', '{{/if}}', '{{> part}}', '{{! note }}', '{{first name}}', '{{"text"}}', "{{'text'}}"],
    ...[
      '{{fields["open}}',
      '{{fields["a" ]}}',
      '{{fields[odd key]}}',
      '{{fields["a"]b}}',
      '{{lines[-1]}}',
      '{{lines[]}}',
    ],
    ...['{{{{order_id}}}}', '{{“total”}}', '{{a.b|c}}'],
  ])('is refused and never sent as text: %s', template => {
    const message = expect.stringContaining('is not a variable')
    const refusal = expect.objectContaining({ message })
    const renderer = createRenderer(scope)
    for (const render of [
      () => renderer.value(template),
      () => renderer.text(`<${template}>`),
      () => renderer.required(template, 'the path'),
      () => renderer.header('X', template),
      () => renderer.json({ a: [template] }),
      () => renderer.given([template]),
    ])
      expect(render).toThrow(refusal)
    expect(() => renderer.given({ [template]: 1 })).toThrow(InvalidVariable)
    expect(() => renderer.json({ '{{order_id}}': 1 })).toThrow(InvalidVariable)
  })

  test('reads item and index inside a loop, and the payload outside', () => {
    const inside = { ...scope, loop: { item: { sku: 'A' }, index: 3 } }
    expect(render('{{index}}: {{item.sku}}, {{event.item}}', inside)).toBe('3: A, own item')
  })

  test('encodes values where asked, not the text around them', () => {
    const encoded = createRenderer({ payload: { id: 'a/b?c' }, steps: new Map() })
    expect(encoded.text('https://x/{{id}}?y=1', encodeURIComponent)).toBe('https://x/a%2Fb%3Fc?y=1')
  })

  test('is refused once the values of a step are larger than 1 MiB together', () => {
    const renderer = createRenderer({ payload: { big: 'x'.repeat(maxRendered / 2) }, steps: new Map() })
    expect(renderer.text('{{big}}{{big}}')).toHaveLength(maxRendered)
    expect(() => renderer.value('{{big}}')).toThrow(RenderedTooLarge)
  })

  test('renders any text with any payload, changes nothing of it, and leaves text without variables as it is', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom('{{', '}}', '.', 'a', ' ', '{', 'steps')).map(parts => parts.join('')),
    )
    fc.assert(
      fc.property(texts, fc.dictionary(fc.string(), fc.jsonValue()), (text, fields) => {
        const before = JSON.stringify(fields)
        const renderer = createRenderer({ payload: fields, steps: new Map() })
        try {
          const value = renderer.value(text)
          if (variablesIn(text).length === 0) expect(value).toBe(text)
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidVariable)
          expect(text).toContain('{{')
        }
        expect(JSON.stringify(fields)).toBe(before)
      }),
    )
  })

  test('keeps the type of any value that it consists of', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const renderer = createRenderer({ payload: { value }, steps: new Map() })
        expect(renderer.json({ deep: ['{{value}}'] })).toEqual({ deep: [value] })
      }),
    )
  })
})

test('soleVariable returns the variable that is a whole text', () => {
  expect(['{{a.b}}', '{{ a }}', ' {{a}}', '{{a}}{{b}}', 'a'].map(soleVariable)).toEqual([
    'a.b',
    'a',
    null,
    null,
    null,
  ])
})
