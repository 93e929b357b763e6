import type { ConversationAction } from '../model/platform/conversation-action.ts'
import type { SmsKeywords } from '../model/platform/sms-keywords.ts'

/** A keyword that a text contains. */
export type KeywordMatch = {
  readonly kind: 'sms' | 'conversation-action'
  /** As the configuration writes it. */
  readonly keyword: string
  /** The answer of an SMS keyword, or the name of an action. */
  readonly effect: string
  /** Where the keyword is in the text for the first time, in UTF-16 units. */
  readonly start: number
  readonly end: number
}

const smsKeywords = ['stop', 'help', 'menu'] as const

/** Returns the keywords in a text: STOP, HELP and MENU first, then actions in their order. Whole words; case ignored. */
export function matchKeywords(
  text: string,
  { sms, actions }: { readonly sms: SmsKeywords; readonly actions: readonly ConversationAction[] },
): KeywordMatch[] {
  const candidates = [
    ...smsKeywords.map(word => ({ kind: 'sms' as const, keyword: word.toUpperCase(), effect: sms[word] })),
    ...actions.map(({ trigger, action }) => ({
      kind: 'conversation-action' as const,
      keyword: keywordOf(trigger),
      effect: action,
    })),
  ]
  const places = firstPlaces(
    text,
    candidates.map(({ keyword }) => keyword),
  )
  return candidates.flatMap((candidate, index) => {
    const place = places[index] ?? null
    return place === null ? [] : [{ ...candidate, ...place }]
  })
}

/** Returns the actions whose keywords a text contains, in their order. */
export function matchActions(text: string, actions: readonly ConversationAction[]): ConversationAction[] {
  const places = firstPlaces(
    text,
    actions.map(({ trigger }) => keywordOf(trigger)),
  )
  return actions.filter((_action, index) => places[index] !== null)
}

/** Returns the keyword in a trigger: `refund` in `keyword:refund`. */
export const keywordOf = (trigger: string) => trigger.slice('keyword:'.length).trim()

type Place = { readonly start: number; readonly end: number }

/** Returns where each keyword is in a text for the first time; null for one that is not in it. */
function firstPlaces(text: string, keywords: readonly string[]): (Place | null)[] {
  const root = newNode()
  const nodes = keywords.map(keyword => addWords(root, normalizedWords(keyword)))
  findPlaces(root, normalizedWords(text))
  return nodes.map(({ place }) => place)
}

type Word = {
  readonly normalized: string
  readonly start: number
  readonly end: number
  /** Whether it follows the word before without a gap. */
  readonly isJoined: boolean
}

/**
 * The letters of scripts that put no spaces between words. Each is a word of its own: dictionaries that divide such texts
 * differ between systems, and do not know every keyword.
 */
const unspaced =
  /(?=\p{L})[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Lana}\p{scx=Tale}\p{scx=Talu}\p{scx=Java}\p{scx=Bali}\p{scx=Yiii}]/u
const word = new RegExp(`${unspaced.source}\\p{M}*|(?:(?!${unspaced.source})[\\p{L}\\p{M}\\p{N}_])+`, 'gu')

/** Returns the words of a text: runs of letters, marks, digits and _, and each letter of a script without spaces. */
function normalizedWords(text: string): Word[] {
  let last = -1
  return [...text.matchAll(word)].map(({ 0: found, index }) => {
    const isJoined = index === last
    last = index + found.length
    // Upper case first, so that ß and SS are equal.
    const normalized = found.normalize('NFC').toUpperCase().toLowerCase()
    return { normalized, start: index, end: last, isJoined }
  })
}

/** Returns the key of a word in the trie. Words of one keyword that are joined are found only if they are joined. */
const keyOf = ({ normalized, isJoined }: Word, isFirst: boolean) =>
  isJoined && !isFirst ? `+${normalized}` : normalized

/** A trie of keywords by their words, so that the time does not grow with the number of keywords. */
type Node = {
  readonly next: Map<string, Node>
  isKeyword: boolean
  /** Where the keyword that ends here was found first. */
  place: Place | null
}

function newNode(): Node {
  return { next: new Map(), isKeyword: false, place: null }
}

function addWords(root: Node, words: readonly Word[]): Node {
  let node = root
  for (const [index, word] of words.entries()) {
    const key = keyOf(word, index === 0)
    const next = node.next.get(key) ?? newNode()
    node.next.set(key, next)
    node = next
  }
  node.isKeyword = words.length > 0
  return node
}

function findPlaces(root: Node, words: readonly Word[]): void {
  for (const [from, { start }] of words.entries()) {
    let node: Node | undefined = root
    for (let at = from; node !== undefined; at++) {
      const word = words[at]
      node = word && node.next.get(keyOf(word, at === from))
      if (word !== undefined && node?.isKeyword) node.place ??= { start, end: word.end }
    }
  }
}
