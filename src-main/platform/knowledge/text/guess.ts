import { isUtf8 } from 'node:buffer'
import { KnowledgeEncoding } from '#shared/model/platform/knowledge.ts'
import { decode } from './encodings.ts'
import { languages, type Script, scripts } from './languages.ts'

export type Guess = { readonly encoding: KnowledgeEncoding; readonly isCertain: boolean }

/** Bytes that are looked at. */
const sampleBytes = 16 * 1024
/** How much less likely the next reading must be, as a natural logarithm: about 400 times. */
const leastLead = 6
/** The most that a character of a known language costs on average. */
const mostCost = 7.3
const mostWideCost = 8.5

/** Shorter texts in UTF-16 without a mark cannot be told from other bytes. */
const leastWide = 12

/** Guesses the encoding of a text: the one whose reading is most likely a text in some language. */
export function guessEncoding(bytes: Buffer): Guess {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: 'utf-16le', isCertain: true }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: 'utf-16be', isCertain: true }
  const wide = guessWide(bytes.subarray(0, sampleBytes))
  if (wide !== null) return wide
  // ISO-2022-JP has no bytes beyond ASCII: escapes switch to Japanese and back.
  if (bytes.includes('\u001b$') && isUtf8(bytes)) return { encoding: 'iso-2022-jp', isCertain: true }
  const sample = sampleOf(bytes)
  // A few letters of another encoding can be valid UTF-8 by chance.
  const isValid = isUtf8(bytes)
  if (isValid && (sample.length === 0 || countBeyondAscii(decode(sample, 'utf-8')) >= 4))
    return { encoding: 'utf-8', isCertain: true }
  const readings = new Map<string, { encoding: KnowledgeEncoding; cost: number }>()
  for (const encoding of KnowledgeEncoding.options) {
    if (/^utf-16|^iso-2022/.test(encoding)) continue
    const text = decode(sample, encoding)
    const cost = costOf(text, encoding) + rarityOf(encoding)
    // Encodings that read the same are one reading.
    const known = readings.get(text)
    if (known === undefined || cost < known.cost - 0.01) readings.set(text, { encoding, cost })
  }
  const [best, next] = [...readings]
    .map(([text, reading]) => ({ text, ...reading }))
    .sort((a, b) => a.cost - b.cost)
  if (best === undefined) return { encoding: 'windows-1252', isCertain: false }
  const characters = countBeyondAscii(best.text)
  const isCertain =
    (next === undefined || next.cost - best.cost >= leastLead) && best.cost / characters <= mostCost
  return { encoding: best.encoding, isCertain }
}

/** Returns how much rarer an encoding is than Windows-1252, as a natural logarithm. */
function rarityOf(encoding: KnowledgeEncoding): number {
  if (encoding === 'utf-8') return -1
  if (encoding === 'windows-1252') return 0
  if (/^ibm|^x-|^iso-8859-(?:4|13)|^macintosh/.test(encoding)) return 4
  return /^iso|^koi8|^windows-1258/.test(encoding) ? 2 : 0.7
}

/** Returns UTF-16 for bytes that are a text in it without a mark at their start. */
function guessWide(sample: Buffer): Guess | null {
  // In 8 bits these are control characters, which texts do not have.
  if (sample.length < leastWide || !sample.some(byte => byte < 9)) return null
  const even = sample.subarray(0, sample.length - (sample.length % 2))
  const [best] = (['utf-16le', 'utf-16be'] as const)
    .map(encoding => {
      const text = decode(even, encoding)
      const strange = text.match(/[^\P{C}\s]|\ufffd/gu)?.length ?? 0
      const others = countBeyondAscii(text)
      const cost = others === 0 ? 0 : costOf(text, encoding) / others
      return { encoding, isText: strange <= text.length / 100 && cost <= mostWideCost, cost, others }
    })
    .filter(({ isText }) => isText)
    .sort((a, b) => a.others - b.others || a.cost - b.cost)
  return best === undefined ? null : { encoding: best.encoding, isCertain: true }
}

const countBeyondAscii = (text: string) => text.match(/[^\0-\x7f]/g)?.length ?? 0

/** Returns lines that have bytes beyond ASCII, whole from their start, as characters may have two bytes. */
function sampleOf(bytes: Buffer): Buffer {
  const lines: Buffer[] = []
  let length = 0
  for (let at = 0; at < bytes.length && length < sampleBytes; ) {
    const newline = bytes.indexOf(10, at)
    const end = newline === -1 ? bytes.length : newline + 1
    let first = at
    while (first < end && (bytes[first] ?? 0) < 0x80) first++
    if (first < end) {
      const line = bytes.subarray(Math.max(at, first - 100), Math.min(end, first + sampleBytes))
      lines.push(line)
      length += line.length
    }
    at = end
  }
  return Buffer.concat(lines)
}

/** A character beyond ASCII. */
type Mark = {
  readonly mark: string
  readonly lower: string
  /** The cost that its neighbours add, if a language has it. */
  readonly inPlace: number
  /** Its cost in a language that does not have it. */
  readonly foreign: number
}

/**
 * Returns how unlikely the characters beyond ASCII are, in the language that fits best: the negative natural logarithm of
 * the probability, roughly.
 */
function costOf(text: string, encoding: KnowledgeEncoding): number {
  const marks = marksOf(text)
  const costs = [...tables(), ...scriptTables()]
    .filter(({ encodings }) => encodings.includes(encoding))
    .map(({ costIn, rarity }) => marks.reduce((sum, mark) => sum + costIn(mark), rarity))
  return Math.min(...costs)
}

function marksOf(text: string): Mark[] {
  const all = [...text]
  const marks: Mark[] = []
  for (const [at, mark] of all.entries()) {
    if (mark <= '\x7f' && !isControl(mark)) continue
    const before = kindOf(all[at - 1] ?? ' ')
    const after = kindOf(all[at + 1] ?? ' ')
    const own = kindOf(mark)
    const lower = mark.toLowerCase()
    let inPlace = lower === mark ? 0 : before.isUpper ? 0.7 : 1.5
    // Capitals begin words, and words have letters of one alphabet.
    if (own.isUpper && before.isLower) inPlace += 6
    if (own.isLower && after.isUpper) inPlace += 6
    for (const { alphabet } of [before, after])
      if (own.alphabet !== null && alphabet !== null && alphabet !== own.alphabet) inPlace += 4
    marks.push({
      mark,
      lower,
      inPlace,
      foreign: costOfForeign(mark, before.alphabet !== null, after.alphabet !== null) + inPlace,
    })
  }
  return marks
}

const isControl = (mark: string) => mark < ' ' && !'\t\n\v\f\r\u001a\u001b'.includes(mark)

type Kind = { readonly alphabet: string | null; readonly isUpper: boolean; readonly isLower: boolean }
const kinds = new Map<string, Kind>()
const alphabets =
  /(\p{sc=Latin})|(\p{sc=Greek})|(\p{sc=Cyrillic})|(\p{sc=Hebrew})|(\p{sc=Arabic})|(\p{sc=Thai})/u

function kindOf(mark: string): Kind {
  const known = kinds.get(mark)
  if (known !== undefined) return known
  const found = alphabets
    .exec(mark)
    ?.slice(1)
    .findIndex(group => group !== undefined)
  const alphabet = found === undefined || !/\p{L}|\p{M}/u.test(mark) ? null : String(found)
  const kind = { alphabet, isUpper: /\p{Lu}/u.test(mark), isLower: /\p{Ll}/u.test(mark) }
  kinds.set(mark, kind)
  return kind
}

/** Marks that texts of all languages have, and those among them that can be within a word. */
const usualMarks = '–—‘’‚“”„…«»‹›•·°§€£©®™±×²³½¼µ№´¨ªº'
const marksInWords = '’·‘´'
/** Marks of numbers, which no letter follows or precedes. */
const marksOfNumbers = '£€½¼±§'

function costOfForeign(mark: string, isAfterLetter: boolean, isBeforeLetter: boolean): number {
  const isInWord = isAfterLetter && isBeforeLetter
  if (mark === '\ufffd') return 20
  if (/[\p{Cc}\p{Co}\p{Cn}\p{Cs}]/u.test(mark)) return 14
  if (/[\p{Z}\u200b-\u200f]/u.test(mark)) return 4.5
  if (/\p{Extended_Pictographic}/u.test(mark)) return 6
  if ('¿¡'.includes(mark)) return isBeforeLetter && !isInWord ? 3 : 12
  const inWord = isInWord && !marksInWords.includes(mark) ? 6 : 0
  const atNumber = marksOfNumbers.includes(mark) && (isAfterLetter || isBeforeLetter) ? 4 : 0
  if (usualMarks.includes(mark)) return 4.5 + inWord + atNumber
  if (/[\u00c0-\u00ff]/.test(mark) && !'×÷'.includes(mark)) return 7
  return /\p{L}/u.test(mark) ? 9 : 9 + inWord
}

type Table = {
  readonly encodings: readonly KnowledgeEncoding[]
  readonly rarity: number
  readonly costIn: (mark: Mark) => number
}

const tables = once(() =>
  languages.map(({ letters, encodings, rarity = 0 }): Table => {
    const all = [...letters]
    const sum = all.reduce((total, _, rank) => total + 1 / (rank + 2), 0)
    const costs = new Map(all.map((letter, rank) => [letter, Math.log(sum * (rank + 2))]))
    return {
      encodings,
      rarity,
      costIn({ mark, lower, inPlace, foreign }) {
        const cost = costs.get(mark) ?? costs.get(lower)
        return cost === undefined ? foreign : cost + inPlace
      },
    }
  }),
)

const scriptTables = once(() =>
  scripts.map(({ frequent, usual, encodings }): Table => {
    const often = new Set(frequent)
    const usually = new Set(charactersOf(usual))
    return {
      encodings,
      rarity: 0,
      costIn({ mark, foreign }) {
        if (often.has(mark)) return 5.5
        if (usually.has(mark)) return 8.5
        if (/[ぁ-ん]/.test(mark)) return encodings.includes('euc-jp') ? 4 : 9
        if (/[ァ-ー々]/.test(mark)) return encodings.includes('euc-jp') ? 5 : 9
        if (/[\u3000-\u303f\uff01-\uff5e]/.test(mark)) return 5
        if (/[\uff61-\uff9f]/.test(mark)) return encodings.includes('euc-jp') ? 7 : 10
        return /[\p{sc=Han}\p{sc=Hangul}]/u.test(mark) ? 11.5 : foreign
      },
    }
  }),
)

/** Returns the characters of two bytes that begin with one of these. */
function charactersOf({ encoding, from, to }: Script['usual']): string {
  const bytes: number[] = []
  for (let lead = from; lead <= to; lead++)
    for (let trail = 0x40; trail <= 0xfe; trail++) bytes.push(lead, trail, 10)
  return decode(Uint8Array.from(bytes), encoding)
    .split('\n')
    .filter(character => /^[\p{sc=Han}\p{sc=Hangul}]$/u.test(character))
    .join('')
}

/** Computes a value when it is first needed: most files are UTF-8. */
function once<Value>(compute: () => Value): () => Value {
  let value: Value | undefined
  return () => (value ??= compute())
}
