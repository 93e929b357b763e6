import { plural } from './plural.ts'

/** What became of one event: a status, or the system's name for why there was no answer. */
export type SendOutcome =
  | { readonly status: number; readonly totalMs: number }
  | { readonly noAnswer: string }

export type SendSummary = {
  /** Whether every one was answered 2xx. */
  readonly ok: boolean
  readonly count: number
  /** How many were answered with each status. */
  readonly statuses: Readonly<Record<string, number>>
  /** How many were not answered, by reason. */
  readonly noAnswer: Readonly<Record<string, number>>
  /** Of the answered ones, in milliseconds; null when there are none. */
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  readonly perSecond: number
  readonly elapsedMs: number
}

export function isSuccess(outcome: SendOutcome): boolean {
  return 'status' in outcome && outcome.status >= 200 && outcome.status < 300
}

/** @param elapsedMs from the first request to the last answer. Pure. */
export function summarize(outcomes: readonly SendOutcome[], elapsedMs: number): SendSummary {
  const answered = outcomes.filter(outcome => 'status' in outcome)
  const times = Float64Array.from(answered, ({ totalMs }) => totalMs).sort()
  const quantile = (part: number) => {
    const time = times[Math.ceil(times.length * part) - 1]
    return time === undefined ? null : round(time)
  }
  return {
    ok: outcomes.every(isSuccess),
    count: outcomes.length,
    statuses: countBy(answered.map(({ status }) => String(status))),
    noAnswer: countBy(outcomes.flatMap(outcome => ('noAnswer' in outcome ? [outcome.noAnswer] : []))),
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    perSecond: round((outcomes.length * 1000) / Math.max(elapsedMs, 0.001)),
    elapsedMs: round(elapsedMs),
  }
}

/** The summary for people. Pure. */
export function describeSummary(summary: SendSummary): string[] {
  const { count, statuses, noAnswer, p50Ms, p99Ms, perSecond, elapsedMs } = summary
  return [
    `${plural(count, 'event')} in ${elapsedMs} ms, ${perSecond} per second`,
    ...Object.entries(statuses).map(([status, number]) => `status ${status}: ${number}`),
    ...Object.entries(noAnswer).map(([reason, number]) => `no answer (${reason}): ${number}`),
    ...(p50Ms === null ? [] : [`p50 ${p50Ms} ms, p99 ${p99Ms} ms`]),
  ]
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([one], [other]) => one.localeCompare(other)))
}

/** To a hundredth. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}
