import { type Entry, isLiveEvent } from './entry.ts'
import { kindOf, rowOf } from './row-of.ts'

export type Show = 'inbound' | 'outbound' | 'rejected'

export type Selection = {
  /** What is searched for, in any case of letters; empty for nothing. */
  readonly text: string
  /** Only events of this name. */
  readonly eventName: string | undefined
}

export function isShown(entry: Entry, show: Show | undefined): boolean {
  if (show === undefined) return true
  if (entry.type === 'activity.missed') return false
  const { channel, isRejection } = kindOf(entry)
  return show === 'rejected' ? isRejection : show === channel
}

/** How many there are of all and of each kind. */
export function countEntries(entries: readonly Entry[]): Readonly<Record<Show | 'all', number>> {
  const counts = { all: entries.length, inbound: 0, outbound: 0, rejected: 0 }
  for (const entry of entries) {
    if (isShown(entry, 'outbound')) counts.outbound++
    else if (isShown(entry, 'inbound')) counts.inbound++
    if (isShown(entry, 'rejected')) counts.rejected++
  }
  return counts
}

/**
 * Whether an entry has what is looked for: in its name, body, status, code, or what its row says. Events of
 * the log were searched by the service already.
 */
export function matches(entry: Entry, { text, eventName }: Selection): boolean {
  if (eventName !== undefined && (!('eventName' in entry) || entry.eventName !== eventName)) return false
  if (text === '' || entry.type === 'event.stored') return true
  if (entry.type === 'activity.missed') return false
  const wanted = text.toLowerCase()
  return searchedOf(entry).some(part => part.toLowerCase().includes(wanted))
}

function searchedOf(entry: Exclude<Entry, { type: 'activity.missed' }>): readonly string[] {
  if (isLiveEvent(entry)) {
    const { bodyText, eventName } = entry
    return [eventName, bodyText, ...(bodyText.includes('\\u') ? [unescaped(bodyText)] : []), '200']
  }
  const { title, status, code, details } = rowOf(entry, null)
  const words = details.map(({ text }) => text)
  const own =
    entry.type === 'attempt'
      ? [entry.attempt.code, entry.attempt.bodyText]
      : 'code' in entry
        ? [entry.code ?? '']
        : []
  return [title, String(status ?? ''), code ?? '', ...words, ...own]
}

/** As the log is searched too: `\u00e9` is found as é. */
function unescaped(text: string): string {
  return text.replace(/\\u([\da-f]{4})/gi, (_whole, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
}
