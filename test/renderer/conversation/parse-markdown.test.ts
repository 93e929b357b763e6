import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Inline, parseInline } from '#renderer/features/conversation/parse-inline.ts'
import { type Block, parseMarkdown } from '#renderer/features/conversation/parse-markdown.ts'

const text = (content: string): Inline => ({ kind: 'text', text: content })

describe('parseInline', () => {
  test('reads bold, emphasis, deleted text and code', () => {
    expect(parseInline('a **b *c* d** ~~e~~ `f**` _g_')).toEqual([
      text('a '),
      { kind: 'strong', children: [text('b '), { kind: 'emphasis', children: [text('c')] }, text(' d')] },
      text(' '),
      { kind: 'deleted', children: [text('e')] },
      text(' '),
      { kind: 'code', text: 'f**' },
      text(' '),
      { kind: 'emphasis', children: [text('g')] },
    ])
  })

  test.each([
    'look_up_order and create_refund',
    '2 * 3 * 4',
    'a **b',
    'a ~ b ~ c',
    '`open',
    'see [1] and [2](not an address)',
    '<img src=x onerror=alert(1)> <b>bold</b>',
  ])('leaves %s as it is', plain => {
    expect(plainText(parseInline(plain))).toBe(plain)
    expect(parseInline(plain).every(({ kind }) => kind === 'text')).toBe(true)
  })

  test('links only to http and https', () => {
    const href = 'https://example.com/a_(b)?c=d'
    expect(parseInline(`[**order**](${href})`)).toEqual([
      { kind: 'link', href, children: [{ kind: 'strong', children: [text('order')] }] },
    ])
    expect(parseInline('[a](http://b.c "title")')).toMatchObject([{ kind: 'link', href: 'http://b.c' }])
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      '//evil.example',
      '/x',
    ])
      expect(parseInline(`[a](${url})`)).toEqual([text('a')])
  })

  test('links an address in the text without the punctuation behind it', () => {
    expect(parseInline('See https://example.com/a?b=c.')).toEqual([
      text('See '),
      {
        kind: 'link',
        href: 'https://example.com/a?b=c',
        children: [text('https://example.com/a?b=c')],
      },
      text('.'),
    ])
  })

  test('turns an image into a link', () => {
    expect(parseInline('![chart](https://evil.example/?q=secret)')).toEqual([
      { kind: 'link', href: 'https://evil.example/?q=secret', children: [text('chart')] },
    ])
  })

  test('keeps an escaped marker as text', () => {
    expect(plainText(parseInline('\\*a\\* \\`b\\`'))).toBe('*a* `b`')
  })

  test('keeps every letter of any text', () => {
    const pieces = fc.constantFrom(
      '*',
      '**',
      '_',
      '`',
      '``',
      '~~',
      '[',
      ']',
      '(',
      ')',
      '!',
      'a',
      ' ',
      'https://a.b',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), parts => {
        const source = parts.join('')
        const letters = (value: string) => value.replace(/[^a]/g, '').length
        // The address of a link is not part of the text.
        expect(letters(plainText(parseInline(source)))).toBeLessThanOrEqual(letters(source))
        if (!source.includes('](')) expect(letters(plainText(parseInline(source)))).toBe(letters(source))
      }),
    )
  })
})

describe('parseMarkdown', () => {
  test('reads paragraphs, headings, quotes and rules', () => {
    expect(shapes('One\nline\n\n## Title\nTwo\n> quoted\n---\nThree')).toEqual([
      'paragraph One\nline',
      'heading Title',
      'paragraph Two',
      'quote(paragraph quoted)',
      'rule',
      'paragraph Three',
    ])
  })

  test('reads lists in lists, and the number that a list starts with', () => {
    const blocks = parseMarkdown('3. a\n   more\n\n4. b\n   - c\n   - d\n')
    expect(shapes('3. a\n   more\n\n4. b\n   - c\n   - d\n')).toEqual([
      'list[paragraph a\nmore|paragraph b, list[paragraph c|paragraph d]]',
    ])
    expect(blocks).toMatchObject([{ kind: 'list', start: 3 }])
  })

  test('reads code, closed or not', () => {
    expect(parseMarkdown('```json\n{"a": 1}\n```\nEnd')).toMatchObject([
      { kind: 'code', language: 'json', code: '{"a": 1}' },
      { kind: 'paragraph' },
    ])
    expect(parseMarkdown('```\n# not a title\n* a')).toMatchObject([
      { kind: 'code', language: '', code: '# not a title\n* a' },
    ])
  })

  test('reads a table', () => {
    const [table] = parseMarkdown('| sku | price |\n| --- | ---: |\n| `KB-87` | 12.50 |\nAfter')
    expect(table).toMatchObject({
      kind: 'table',
      rows: [
        [[text('sku')], [text('price')]],
        [[{ kind: 'code', text: 'KB-87' }], [text('12.50')]],
      ],
    })
  })

  test('keeps what is nested too deep as text', () => {
    expect(parseMarkdown('>'.repeat(10_000))).toHaveLength(1)
    expect(parseMarkdown(`${'- '.repeat(4000)}a`)).toHaveLength(1)
  })
})

function plainText(pieces: readonly Inline[]): string {
  return pieces.map(piece => ('text' in piece ? piece.text : plainText(piece.children))).join('')
}

const shapes = (source: string) => parseMarkdown(source).map(shapeOf)

function shapeOf(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
      return `${block.kind} ${plainText(block.text)}`
    case 'quote':
      return `quote(${block.blocks.map(shapeOf).join(', ')})`
    case 'list':
      return `list[${block.items.map(item => item.map(shapeOf).join(', ')).join('|')}]`
    default:
      return block.kind
  }
}
