import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { languageSnippets } from '#renderer/entities/snippet/languages.ts'
import { languages } from '#renderer/entities/snippet/snippet.ts'
import type { HighlightId } from '#renderer/ui/grammars.ts'
import { highlight, type TokenKind } from '#renderer/ui/highlight.ts'
import { anyText, awkwardEvents, traps } from '../entities/snippet/awkward.ts'

const ids = languages.map(language => languageSnippets[language].send.highlight)
const textOf = (code: string, id: HighlightId) =>
  highlight(code, id)
    .map(line => line.map(({ text }) => text).join(''))
    .join('\n')

describe.each(ids)('%s', id => {
  test('the tokens of any text add up to the text', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: 'binary' })), text => {
        expect(textOf(text, id)).toBe(text)
      }),
      { numRuns: 1000, examples: [[traps.join('\n')], ['"'.repeat(20_000)], ['\\'.repeat(20_000)]] },
    )
  })

  test('no token is empty or spans lines', () => {
    fc.assert(
      fc.property(anyText, text => {
        for (const token of highlight(text, id).flat()) expect(token.text).toMatch(/^[^\n]+$/)
      }),
    )
  })
})

test.each(languages)('the programs in %s keep their text, and their body is one string token', language => {
  const { send, verify } = languageSnippets[language]
  expect(textOf(verify.render(), verify.highlight)).toBe(verify.render())
  for (const event of awkwardEvents) {
    const program = send.render({ url: 'http://127.0.0.1/events', ...event })
    expect(textOf(program, send.highlight)).toBe(program)
    const line = highlight(program, send.highlight).find(tokens =>
      tokens.some(({ text, kind }) => kind === 'str' && text.includes('event') && text.includes('data')),
    )
    expect(line?.filter(({ kind }) => kind === 'str')).toHaveLength(1)
    expect(line?.filter(({ kind }) => kind === 'com')).toEqual([])
  }
})

/** The words of a line by colour, without those that are plain or punctuation. */
function coloured(code: string, id: HighlightId): [string, TokenKind][] {
  return highlight(code, id)
    .flat()
    .filter(({ kind }) => kind !== 'key' && kind !== 'pun')
    .map(({ text, kind }) => [text, kind])
}

test.each<[HighlightId, string, [string, TokenKind][]]>([
  ['bash', '# a b', [['# a b', 'com']]],
  [
    'bash',
    'TS=$(date +%s)000',
    [
      ['date', 'fn'],
      ['000', 'num'],
    ],
  ],
  [
    'bash',
    `  | openssl dgst -hmac "\${SECRET#whsec_}x" | sed 's/^.* //')`,
    [
      ['openssl', 'fn'],
      ['"', 'str'],
      [`\${SECRET#whsec_}`, 'num'],
      ['x"', 'str'],
      ['sed', 'fn'],
      ["'s/^.* //'", 'str'],
    ],
  ],
  [
    'javascript',
    `  .update(\`\${timestamp}.\${body}\`) // both`,
    [
      ['update', 'fn'],
      ['`', 'str'],
      [`\${timestamp}`, 'num'],
      ['.', 'str'],
      [`\${body}`, 'num'],
      ['`', 'str'],
      ['// both', 'com'],
    ],
  ],
  [
    'javascript',
    "if (!/^[/'0-9]+$/.test(a) && b / 2 > 300_000) return false",
    [
      ['if', 'lit'],
      ["/^[/'0-9]+$/", 'str'],
      ['test', 'fn'],
      ['2', 'num'],
      ['300_000', 'num'],
      ['return', 'lit'],
      ['false', 'lit'],
    ],
  ],
  [
    'python',
    'x = f"sha256={digest}" + b"." + str(1_000)  # f',
    [
      ['f"sha256=', 'str'],
      ['{digest}', 'num'],
      ['"', 'str'],
      ['b"."', 'str'],
      ['str', 'fn'],
      ['1_000', 'num'],
      ['# f', 'com'],
    ],
  ],
  [
    'php',
    '<?php echo hash_hmac(\'sha256\', "$a.$b", $c);',
    [
      ['php', 'lit'],
      ['echo', 'fn'],
      ['hash_hmac', 'fn'],
      ["'sha256'", 'str'],
      ['"', 'str'],
      ['$a', 'num'],
      ['.', 'str'],
      ['$b', 'num'],
      ['"', 'str'],
      ['$c', 'num'],
    ],
  ],
  [
    'go',
    'body := `{"a":"b"}` // c',
    [
      ['`{"a":"b"}`', 'str'],
      ['// c', 'com'],
    ],
  ],
  [
    'ruby',
    'puts "#{a}.b", :millisecond # c',
    [
      ['puts', 'fn'],
      ['"', 'str'],
      ['#{a}', 'num'],
      ['.b"', 'str'],
      [':millisecond', 'num'],
      ['# c', 'com'],
    ],
  ],
  [
    'java',
    'var url = "http://a\\"b"; // c',
    [
      ['var', 'lit'],
      ['"http://a\\"b"', 'str'],
      ['// c', 'com'],
    ],
  ],
])('in %s, %s', (id, code, expected) => {
  expect(coloured(code, id)).toEqual(expected)
})
