import type { ConversationAction } from '#shared/model/platform/conversation-action.ts'
import type { SmsKeywords } from '#shared/model/platform/sms-keywords.ts'
import { matchKeywords } from '#shared/platform/keywords.ts'
import { formatCount } from '../../../ui/format.ts'

export type Channel = 'chat' | 'sms'

/** The effects of a message. `remarks` also explain why something did not start. */
export type Tried = {
  readonly remarks: readonly { readonly isMatch: boolean; readonly text: string }[]
  /** The answer to an SMS keyword; actions do not start then. */
  readonly answer: string | null
  /** The actions that start. */
  readonly started: readonly ConversationAction[]
  /** The message in pieces, with the keywords that have an effect marked. */
  readonly pieces: readonly { readonly text: string; readonly isKeyword: boolean }[]
}

/** Returns what a message does in a channel: SMS keywords come first, and only in text messages. */
export function trySentence(
  text: string,
  channel: Channel,
  configured: { readonly sms: SmsKeywords; readonly actions: readonly ConversationAction[] },
): Tried {
  const { actions } = configured
  const matches = matchKeywords(text, configured)
  const sms = channel === 'sms' ? matches.find(({ kind }) => kind === 'sms') : undefined
  const places = matches.filter(({ kind }) => kind === 'conversation-action')
  const matched = new Set(places.map(({ keyword }) => keyword))
  const started = actions.filter(({ trigger }) => matched.has(keywordOf(trigger)))
  const others = actions.length - started.length
  const parts = actions
    .map(({ trigger }) => keywordOf(trigger))
    .filter(word => isPartOfWord(word, text, matched))

  const place = (start: number) => `word ${wordsIn(text.slice(0, start + 1))} of ${wordsIn(text)}`
  const remarks: Tried['remarks'][number][] = [
    channel === 'chat'
      ? { isMatch: false, text: 'SMS keywords: chat does not use them' }
      : sms === undefined
        ? { isMatch: false, text: 'STOP, HELP and MENU are not in it' }
        : { isMatch: true, text: `Answers ${sms.keyword}, ${place(sms.start)}` },
    ...places.map(({ keyword, start }) => ({
      isMatch: sms === undefined,
      text:
        sms === undefined
          ? `Starts keyword:${keyword}, ${place(start)}`
          : `keyword:${keyword} does not start: ${sms.keyword} comes first`,
    })),
    ...parts.slice(0, 3).map(word => ({ isMatch: false, text: `keyword:${word} is only part of a word` })),
  ]
  const rest = others - Math.min(3, parts.length)
  if (rest > 0) {
    const which = formatCount(rest, remarks.length > 1 ? 'other action' : 'action')
    remarks.push({
      isMatch: false,
      text: `${which}: ${rest === 1 ? 'its word is' : 'their words are'} not in it`,
    })
  }
  return {
    remarks,
    answer: sms?.effect ?? null,
    started: sms === undefined ? started : [],
    pieces: piecesOf(text, sms === undefined ? places : [sms]),
  }
}

/** Returns the keyword of a trigger, without the prefix. */
export const keywordOf = (trigger: string) => trigger.slice('keyword:'.length).trim()

const wordsIn = (text: string) => text.split(/\s+/).filter(word => word !== '').length

function isPartOfWord(word: string, text: string, matched: ReadonlySet<string>): boolean {
  return word !== '' && !matched.has(word) && text.toLowerCase().includes(word.toLowerCase())
}

function piecesOf(
  text: string,
  places: readonly { readonly start: number; readonly end: number }[],
): Tried['pieces'] {
  const pieces: Tried['pieces'][number][] = []
  let from = 0
  for (const { start, end } of places.toSorted((one, other) => one.start - other.start)) {
    // Two keywords can share a word.
    if (end <= from) continue
    const begin = Math.max(start, from)
    if (begin > from) pieces.push({ text: text.slice(from, begin), isKeyword: false })
    pieces.push({ text: text.slice(begin, end), isKeyword: true })
    from = end
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isKeyword: false })
  return pieces
}
