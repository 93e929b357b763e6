import type { RunStep } from './runs.ts'

/** Stands before the parts of a call that later steps read, in a line before the output. */
const callMark = 'call:'

/** Returns an output with the parts of a call that later steps read. */
export function withCall({ output, call }: Pick<RunStep, 'output' | 'call'>): string | null {
  return call === undefined ? output : `${callMark}${call}\n${output ?? ''}`
}

/** Returns what `withCall` has joined. */
export function splitCall(text: string | null): Pick<RunStep, 'output' | 'call'> {
  if (text === null || !text.startsWith(callMark)) return { output: text }
  const end = text.indexOf('\n')
  return { output: text.slice(end + 1) || null, call: text.slice(callMark.length, end) }
}
