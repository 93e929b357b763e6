import type { CallTimings } from '#shared/model/call.ts'

type Phase = {
  readonly name: 'Setup' | 'DNS' | 'Connect' | 'TLS' | 'Waiting' | 'Download'
  readonly ms: number
}

/** What no phase accounts for is left out while it is less than this, in milliseconds. */
const slightMs = 1

/**
 * The phases that took any time, in the order of a call. A call that came so far without connecting reused. What
 * passed before connecting and between connecting and sending is Setup, so that the phases add up to the whole.
 */
export function phasesOf(timings: CallTimings): { phases: Phase[]; isReused: boolean } {
  const { totalMs, dnsMs, connectMs, tlsMs, firstByteMs, downloadMs } = timings
  const setupMs = totalMs - dnsMs - connectMs - tlsMs - firstByteMs - downloadMs
  const all: Phase[] = [
    { name: 'Setup', ms: setupMs < slightMs ? 0 : setupMs },
    { name: 'DNS', ms: dnsMs },
    { name: 'Connect', ms: connectMs },
    { name: 'TLS', ms: tlsMs },
    { name: 'Waiting', ms: firstByteMs },
    { name: 'Download', ms: downloadMs },
  ]
  return {
    phases: all.filter(({ ms }) => ms > 0),
    isReused: dnsMs + connectMs + tlsMs === 0 && firstByteMs > 0,
  }
}
