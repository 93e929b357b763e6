import type { Figure } from '../figures.ts'
import type { Sent, Span } from './history.ts'

/** A fault, from its beginning until all nodes were ready again. */
export type MadeFault = Span & {
  readonly name: string
  /** The nodes whose process or proxy failed. */
  readonly nodes: readonly number[]
  /** Milliseconds after its end until all nodes were ready; NaN if one was not in time. */
  readonly readyMs: number
}

/** Returns how requests with events that are right by any configuration were answered. */
export function availability(all: readonly Sent[]): Figure[] {
  const sent = all.filter(isRight)
  const count = (status: number | null) => sent.filter(one => one.status === status).length
  return [
    { name: 'events sent', value: all.length },
    { name: 'of them right by any configuration', value: sent.length },
    { name: 'of these answered 200', value: count(200) },
    { name: 'answered 503', value: count(503) },
    { name: 'without an answer', value: count(null) },
  ]
}

/** Prints for each kind of fault how often it was made, and how long no event got 200 and a node was not ready. */
export function printFaults(faults: readonly MadeFault[], sent: readonly Sent[]): void {
  const accepted = sent.filter(one => isRight(one) && one.status === 200).toSorted((a, b) => a.to - b.to)
  console.log(`  ${'fault'.padEnd(50)}times   longest without a 200, until ready`)
  for (const [name, made] of Map.groupBy(faults, one => one.name)) {
    const silent = Math.max(...made.map(fault => longestGap(accepted, fault)))
    const ready = Math.max(...made.map(one => one.readyMs))
    console.log(`  ${name.padEnd(50)}${String(made.length).padStart(5)}${seconds(silent)}${seconds(ready)}`)
  }
}

const isRight = ({ mayBeRefused }: Sent) => mayBeRefused === undefined
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`.padStart(12)

/** Returns the longest part of a span without an answer. */
function longestGap(answers: readonly Span[], { from, to }: Span): number {
  const ends = answers.map(answer => answer.to).filter(at => at > from && at < to)
  return Math.max(...[...ends, to].map((at, index) => at - (ends[index - 1] ?? from)))
}
