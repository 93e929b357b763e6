import type { CallResult } from '#shared/model/call.ts'
import { round } from './send-summary.ts'

/**
 * The outcome of a call for people: status and times, then what came back, as the assistant would get it. Pure.
 *
 * @returns as `problem` why there was no usable answer; null where there was one.
 */
export function describeCall(outcome: CallResult): { result: string[]; problem: string | null } {
  const { response, result, mapped, error, timings } = outcome
  const problem = error === null ? null : `${error.code}: ${error.message}`
  if (response === null) return { result: [], problem }
  const { totalMs, dnsMs, connectMs, tlsMs, firstByteMs, downloadMs } = timings
  const phases = {
    dns: dnsMs,
    connect: connectMs,
    tls: tlsMs,
    'first byte': firstByteMs,
    download: downloadMs,
  }
  const times = Object.entries(phases).map(([name, ms]) => `${name} ${round(ms)}`)
  return {
    result: [
      `${response.status} in ${round(totalMs)} ms (${times.join(', ')})`,
      JSON.stringify(mapped ?? result, null, 2),
    ],
    problem,
  }
}
