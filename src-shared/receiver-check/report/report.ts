import type { Check, CheckId, ReceiverCheck } from '../../model/receiver-check.ts'
import { checkWords, reasonText } from '../words.ts'

/** Everything that a report of a receiver check is made of. It has no arguments, headers or signatures. */
export type Report = {
  readonly actionName: string
  readonly method: string
  /** The address without a query. */
  readonly url: string
  /** When it was made, as ISO 8601. */
  readonly at: string
  /** The version of this program. */
  readonly version: string
  readonly check: ReceiverCheck
  /** The bodies of the answers, if they are to be in it. */
  readonly answers?: ReadonlyMap<CheckId, string>
}

/** Returns the address of an action without its arguments, and without a query, which may have a key. */
export function reportUrl(baseUrl: string | null, path: string): string {
  const [bare = ''] = path.split('?')
  return `${(baseUrl ?? '').replace(/\/+$/, '')}/${bare.replace(/^\/+/, '')}`
}

/** One check as reports show it. */
export function rowOf({ id, status, verdict, reason }: Check) {
  const { title, hint, expected } = checkWords[id]
  return {
    title: hint === '' ? title : `${title}, ${hint}`,
    ...{ expected, verdict },
    got: status === null ? '–' : String(status),
    why: reason === null ? '' : reasonText(reason),
  }
}

/** Returns when a report was made: `2026-11-21 14:36:02 UTC`. */
export const timeText = (at: string) => `${at.slice(0, 19).replace('T', ' ')} UTC`
