import fc from 'fast-check'

/** Characters with a special meaning in one of the languages. */
export const traps = [
  "'",
  '"',
  '`',
  '\\',
  "\\'",
  '\\\\"',
  `$HOME \${HOME} $(id) \`id\``,
  '#{1 + 1} #$0 #@a %{x} %s %n {x}',
  `\${1 + 1}`,
  "'''",
  '"""',
  '<<EOF\nEOF\nJSON\n',
  '\n__END__\n',
  '</script><!--',
  '?><?php',
  '*/ /* // -- #',
  '!! !$',
  '@file',
  '\\u0041 \\x41 \\101 \\N{DASH} \\uuuu',
  '\r\n',
  '\t\b\f\v\u0007\u001a\u001b[31m\u007f\u0085',
  'Zo\u00eb \u20ac \u4f60\u597d \u{1f600} \u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  '\u2028\u2029\ufeff\u202e\u00a0\u00ad',
]

/** Any text without NUL, which a shell's string cannot contain, and without half a surrogate pair. */
export const anyText = fc
  .array(fc.oneof(fc.constantFrom(...traps), fc.string({ unit: 'binary' }), fc.string()), { maxLength: 6 })
  .map(pieces => pieces.join('').replaceAll('\0', ''))

export type AwkwardEvent = { readonly title: string; readonly eventName: string; readonly data: string }

const numbers = '"numbers":[12345678901234567890.12300,1E400,-0,1.0,9007199254740993]'
const fields = JSON.stringify({
  ...Object.fromEntries(traps.map((trap, index) => [`trap ${index}`, trap])),
  keys: Object.fromEntries(traps.map(trap => [trap, null])),
  '': { half: '\ud800', nul: '\0' },
}).slice(1, -1)

export const awkwardEvents: readonly AwkwardEvent[] = [
  { title: 'a plain event', eventName: 'order.paid', data: '{"order_id":"ORD-20418"}' },
  { title: 'an event without data', eventName: 'ping', data: '{}' },
  {
    title: 'an event full of traps, laid out over lines',
    eventName: traps.join(' ').slice(0, 240),
    data: `{\r\n\t"__proto__": {"a": 1},\n  ${numbers},\r\n${fields} }\n`,
  },
]
