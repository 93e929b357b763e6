import type { CallTimings } from '#shared/model/call.ts'

export type Phase = {
  readonly name: 'Setup' | 'DNS' | 'Connect' | 'TLS' | 'Waiting' | 'Download'
  readonly ms: number
}

/** Less unaccounted time than this, in milliseconds, is ignored. */
const minSetupMs = 1

/**
 * Returns the phases of a call that took time, in order. `Setup` is the rest, so that they add up to the total. A response
 * without connecting means that the connection was reused.
 */
export function phasesOf(timings: CallTimings): { phases: Phase[]; isReused: boolean } {
  const { totalMs, dnsMs, connectMs, tlsMs, firstByteMs, downloadMs } = timings
  const setupMs = totalMs - dnsMs - connectMs - tlsMs - firstByteMs - downloadMs
  const all: Phase[] = [
    { name: 'Setup', ms: setupMs < minSetupMs ? 0 : setupMs },
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
