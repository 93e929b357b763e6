import type { CallTimings } from '#shared/model/call.ts'

export type Phase = { readonly name: 'DNS' | 'Connect' | 'TLS' | 'Waiting' | 'Download'; readonly ms: number }

/** The phases that took any time, in the order of a call. A call that came so far without connecting reused. */
export function phasesOf(timings: CallTimings): { phases: Phase[]; isReused: boolean } {
  const { dnsMs, connectMs, tlsMs, firstByteMs, downloadMs } = timings
  const all: Phase[] = [
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
