import type { ConversationAction } from '../model/platform/conversation-action.ts'
import type { SmsKeywords } from '../model/platform/sms-keywords.ts'

/** A keyword that a text contains. */
export type KeywordMatch = {
  readonly kind: 'sms' | 'conversation-action'
  /** As the configuration writes it. */
  readonly keyword: string
  /** The answer of an SMS keyword, or the name of an action. */
  readonly effect: string
  /** Where the keyword is in the text, in UTF-16 units. */
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
      keyword: trigger.slice('keyword:'.length),
      effect: action,
    })),
  ]
  const words = foldedWords(text)
  return candidates.flatMap(candidate => {
    const place = findWords(words, foldedWords(candidate.keyword))
    return place === null ? [] : [{ ...candidate, ...place }]
  })
}

type Word = { readonly folded: string; readonly start: number; readonly end: number }

/** Returns the words of a text: runs of letters, marks, digits and _. */
function foldedWords(text: string): Word[] {
  return [...text.matchAll(/[\p{L}\p{M}\p{N}_]+/gu)].map(({ 0: word, index }) => ({
    // Upper case first, so that ß and SS are equal.
    folded: word.normalize('NFC').toUpperCase().toLowerCase(),
    start: index,
    end: index + word.length,
  }))
}

/** Returns where some words follow one another; null without any word. */
function findWords(words: readonly Word[], wanted: readonly Word[]): { start: number; end: number } | null {
  if (wanted.length === 0) return null
  const at = words.findIndex((_, from) =>
    wanted.every(({ folded }, offset) => words[from + offset]?.folded === folded),
  )
  const first = words[at]
  const last = words[at + wanted.length - 1]
  return first && last ? { start: first.start, end: last.end } : null
}
