import { type Guess, wrong } from './guess.ts'
import { type JsonTree, memberOf, readJsonTree } from './json-tree.ts'
import { type JsonStyle, quoteAsGo, quoteAsPython, reserialize, writeJson } from './reserialize.ts'

/** Larger bodies are not re-serialized: the work grows with the size, and such events are rare. */
const maxLength = 256 * 1024
const maxDataTexts = 24

const messages = {
  data: 'You signed only the `data` field; sign the whole body, exactly as it is sent.',
  objectText:
    'You parsed the body and signed it encoded again; encode it once, sign that text and send it unchanged.',
}

/**
 * Returns JSON texts that the sender may have signed instead of the received one: only its `data` (at most 24
 * texts), or the same value formatted differently (at most 104). Returns none if the body is not JSON, is larger
 * than 256 KiB or is nested more than 100 levels. Lazy; never throws.
 */
export function guessRewritten(received: Buffer): {
  readonly dataOnly: Iterable<Guess<Buffer>>
  readonly whole: Iterable<Guess<Buffer>>
} {
  if (received.length > maxLength) return { dataOnly: [], whole: [] }
  const text = received.toString('utf8').replace(/^\ufeff/, '')
  const tree = readJsonTree(text)
  if (tree === null) return { dataOnly: [], whole: [] }
  return { dataOnly: dataTexts(tree), whole: wholeTexts(tree, text, received) }
}

function* dataTexts(tree: JsonTree): Generator<Guess<Buffer>> {
  const data = memberOf(tree, 'data')
  if (data === null) return
  let count = 0
  for (const { text } of reserialize(data)) {
    if (count++ === maxDataTexts) return
    yield wrong('signed_data_only', messages.data, Buffer.from(text))
  }
}

function* wholeTexts(tree: JsonTree, text: string, received: Buffer): Generator<Guess<Buffer>> {
  for (const guess of rewritings(tree, text)) {
    if (!guess.value.equals(received)) yield guess
  }
}

function* rewritings(tree: JsonTree, text: string): Generator<Guess<Buffer>> {
  for (const written of reserialize(tree)) {
    const message = `You signed the JSON in another format than you sent it (${written.description}); encode it once, sign that text and send it unchanged.`
    yield wrong('body_reserialized', message, Buffer.from(written.text))
  }
  // JavaScript writes 1.0 as 1, and puts number-like keys first.
  yield wrong('body_reserialized', messages.objectText, Buffer.from(JSON.stringify(JSON.parse(text))))
  for (const style of [...numberStyles, pythonDict, javaMap]) {
    const written = writeJson(tree, style, 2 * maxLength)
    if (written !== null) yield wrong('body_reserialized', messages.objectText, Buffer.from(written))
  }
}

/** Formats a number like Python: 1.10 becomes 1.1, 1.0 stays 1.0. */
function pythonNumber(text: string): string {
  if (!/[.eE]/.test(text)) return text
  const number = Number(text)
  return Number.isInteger(number) && Math.abs(number) < 1e16 ? `${number}.0` : String(number)
}

/** Libraries that also change the digits of numbers: Python's, and Go's, which reads every number as a float. */
const numberStyles: readonly JsonStyle[] = [
  ...[', ', ','].flatMap(comma =>
    [false, true].map(sortKeys => ({
      comma,
      colon: comma === ',' ? ':' : ': ',
      indent: 0,
      quote: quoteAsPython,
      number: pythonNumber,
      sortKeys,
    })),
  ),
  {
    comma: ',',
    colon: ':',
    indent: 0,
    quote: quoteAsGo,
    number: text => String(Number(text)),
    sortKeys: true,
  },
]

/** Formats a dict like a Python f-string. */
const pythonDict: JsonStyle = {
  comma: ', ',
  colon: ': ',
  indent: 0,
  quote: value => {
    const inner = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"')
    if (!value.includes("'")) return `'${inner}'`
    return value.includes('"') ? `'${inner.replaceAll("'", "\\'")}'` : `"${inner}"`
  },
  literals: new Map([
    ['true', 'True'],
    ['false', 'False'],
    ['null', 'None'],
  ]),
}

/** Formats a Map like Java's string concatenation. */
const javaMap: JsonStyle = { comma: ', ', colon: '=', indent: 0, quote: value => value }
