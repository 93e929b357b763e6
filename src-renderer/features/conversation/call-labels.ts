import type { ToolCallPart } from '#shared/model/conversation.ts'
import { statusReason } from '../../entities/action/status-reason.ts'
import { formatClock } from '../../ui/format.ts'

/** In characters, of one value and of all arguments in one line. */
const longestValue = 80
const longestLine = 200

/** Returns the arguments in one line: `order_id: "ORD-20391", amount: 25`. */
export function shortArguments(given: Readonly<Record<string, unknown>>): string {
  let line = ''
  for (const [name, value] of Object.entries(given)) {
    if (line.length > longestLine) break
    const text = JSON.stringify(value) ?? ''
    const shown = text.length > longestValue ? `${text.slice(0, longestValue)}…` : text
    line += `${line === '' ? '' : ', '}${name}: ${shown}`
  }
  return line
}

/** Returns how a call was allowed or why it was not made; null for one that needed no permission. */
export function decisionLabel(call: ToolCallPart, now: number): string | null {
  const { state, decision, decidedAt, edited, error } = call
  if (state === 'declined') return 'declined by you'
  if (state === 'cancelled') return 'not decided'
  const at = decidedAt === null ? '' : `, ${formatClock(decidedAt, now)}`
  const changed = edited ? ', edited' : ''
  if (decision === 'once') return `allowed once${changed}${at}`
  if (decision === 'always') return `always allowed here${changed}${at}`
  // A GET, a call that cannot be made and a search for tools need no permission.
  const isAsked = call.actionId !== null && call.method !== 'GET' && error?.code !== 'invalid_arguments'
  return decision === 'automatic' && isAsked ? 'always allowed here' : null
}

/** Returns the outcome of a call that has no response. Null for one that has, or that is still running. */
export function outcomeLabel({ state, status, error }: ToolCallPart): string | null {
  if (state === 'declined' || state === 'cancelled') return 'not called'
  if (state === 'unknown_tool') return error === null ? 'no such tool' : 'not called'
  return status === null && state === 'failed' ? (error?.code ?? 'failed') : null
}

/** Returns what happened to a call that did not succeed; null for one that did. */
export function outcomeSentence(call: ToolCallPart, connectionName: string | null): string | null {
  const { state, status, error, name } = call
  const told = 'The assistant was told so.'
  if (state === 'unknown_tool') {
    const why = error?.message ?? `There is no enabled tool named ${name}.`
    return `${why} Nothing was called. ${told}`
  }
  if (state === 'declined') return `Nothing was called. ${told}`
  if (state === 'cancelled') return 'Nothing was called, because the answer ended first.'
  if (state !== 'failed') return null
  if (status === null) return `${error?.message ?? 'There was no response.'} ${told}`
  const reason = statusReason(status)
  return `${connectionName ?? 'The other side'} answered ${status}${reason === null ? '' : `, ${reason}`}. ${told}`
}
