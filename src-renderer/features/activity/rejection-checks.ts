import { formatNumber, formatTenths } from '../../ui/format.ts'
import { headerOf } from './header-of.ts'

export type Check = {
  readonly name: string
  readonly state: 'passed' | 'failed' | 'not reached'
  /** More of it: how old the timestamp is. */
  readonly detail?: string
}

/** In the order of E1 (decisions: Inbound, order), with the codes of what fails there. */
const steps: readonly { readonly name: string; readonly codes: readonly string[] }[] = [
  { name: 'Token known', codes: ['unknown_token'] },
  { name: 'Connection enabled', codes: ['connection_disabled'] },
  { name: 'Encoding and size', codes: ['unsupported_encoding', 'body_too_large'] },
  { name: 'Timestamp', codes: ['missing_timestamp', 'invalid_timestamp', 'stale_timestamp'] },
  { name: 'Signature', codes: ['missing_signature', 'invalid_signature'] },
  { name: 'Body', codes: ['invalid_json', 'missing_event', 'invalid_event', 'invalid_data'] },
  { name: 'Stored', codes: ['unavailable'] },
  { name: 'Trigger', codes: [] },
]
const unreached: Readonly<Record<string, string>> = {
  Body: 'not read',
  Stored: 'not stored',
  Trigger: 'not raised',
}

/**
 * The checks that a refused request went through, the one it failed, and those it never came to.
 *
 * @param isStored whether the connection logs its events, so that storing is a step at all.
 * @param ageMs the request's own timestamp, before the time it arrived; null where it has none.
 */
export function rejectionChecks(code: string, isStored: boolean, ageMs: number | null): readonly Check[] {
  const failed = steps.findIndex(({ codes }) => codes.includes(code))
  return steps
    .map(({ name }, index): Check => {
      if (index === failed)
        return name === 'Timestamp' ? withAge({ name, state: 'failed' }, ageMs) : { name, state: 'failed' }
      // Whether there is a signature at all is looked at before the timestamp.
      const isSkipped =
        failed === -1 || index > failed || (code === 'missing_signature' && name === 'Timestamp')
      if (isSkipped) return { name, state: 'not reached', detail: unreached[name] ?? 'not looked at' }
      return name === 'Timestamp' ? withAge({ name, state: 'passed' }, ageMs) : { name, state: 'passed' }
    })
    .filter(({ name }) => name !== 'Stored' || isStored || code === 'unavailable')
}

function withAge(check: Check, ageMs: number | null): Check {
  return ageMs === null ? check : { ...check, detail: ageWords(ageMs) }
}

/** “0.2 s old”, “6 min ahead”, “56 years old”. */
export function ageWords(ageMs: number): string {
  const seconds = Math.abs(ageMs) / 1000
  const direction = ageMs < 0 ? 'ahead' : 'old'
  if (seconds < 0.1) return `${Math.abs(ageMs)} ms ${direction}`
  const [value, unit] =
    seconds < 60
      ? [seconds < 10 ? formatTenths(seconds) : formatNumber(Math.round(seconds)), 's']
      : seconds < 7200
        ? [Math.round(seconds / 60), 'min']
        : seconds < 172_800
          ? [Math.round(seconds / 3600), 'h']
          : seconds < 63_072_000
            ? [Math.round(seconds / 86_400), 'days']
            : [Math.round(seconds / 31_557_600), 'years']
  return `${value} ${unit} ${direction}`
}

/** How long before its arrival a request says that it was made, in milliseconds; null where it does not say. */
export function timestampAge(at: string, headers: readonly (readonly [string, string])[]): number | null {
  const timestamp = headerOf(headers, 'x-service-timestamp') ?? ''
  return /^\d{1,15}$/.test(timestamp) ? Date.parse(at) - Number(timestamp) : null
}
