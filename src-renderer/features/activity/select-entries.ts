import { type Entry, isLiveEvent } from './entry.ts'
import { kindOf, rowOf } from './kinds.ts'

export type Show = 'inbound' | 'outbound' | 'rejected'

export type Selection = {
  /** Case is ignored; an empty text matches everything. */
  readonly text: string
  /** Only events of this name. */
  readonly eventName: string | undefined
}

export function isShown(entry: Entry, show: Show | undefined): boolean {
  if (show === undefined) return true
  const { channel, isRejection } = kindOf(entry)
  return show === 'rejected' ? isRejection : show === channel
}

/** Counts all entries and those of each kind. */
export function countEntries(entries: readonly Entry[]): Readonly<Record<Show | 'all', number>> {
  const counts = { all: entries.length, inbound: 0, outbound: 0, rejected: 0 }
  for (const entry of entries) {
    if (isShown(entry, 'outbound')) counts.outbound++
    else if (isShown(entry, 'inbound')) counts.inbound++
    if (isShown(entry, 'rejected')) counts.rejected++
  }
  return counts
}

/** Returns whether an entry's name, body, status, code or row contains the text. The service has searched stored events. */
export function matches(entry: Entry, { text, eventName }: Selection): boolean {
  if (eventName !== undefined && (!('eventName' in entry) || entry.eventName !== eventName)) return false
  if (text === '' || entry.type === 'event.stored') return true
  const wanted = text.toLowerCase()
  return searchedOf(entry).some(part => part.toLowerCase().includes(wanted))
}

function searchedOf(entry: Entry): readonly string[] {
  if (isLiveEvent(entry)) {
    const { bodyText, eventName } = entry
    return [eventName, bodyText, ...(bodyText.includes('\\u') ? [unescaped(bodyText)] : []), '200']
  }
  const { title, status, code, details } = rowOf(entry, null)
  const body = entry.type === 'attempt' ? entry.attempt.bodyText : ''
  return [title, String(status ?? ''), code ?? '', body, ...details.map(({ text }) => text)]
}

/** Replaces escapes such as `\u00e9` by their characters, as the service does when it searches. */
function unescaped(text: string): string {
  return text.replace(/\\u([\da-f]{4})/gi, (_whole, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
}
