import type { Environment } from '#main/connections/environment.ts'
import type { History } from '#main/history/history.ts'
import { type Occurrence, toStored } from '#main/history/kinds.ts'
import { idOf } from '#main/lib/sequence.ts'
import { maskArguments } from '#main/outbound/masking.ts'
import { type RefusedCall, refusalPrefix } from '#main/outbound/refused-call.ts'
import type { RefusalCode } from '#shared/errors/assistant.ts'

/** A refused tool call. The arguments are not masked yet. */
export type Refusal = Omit<RefusedCall, 'kind' | 'id' | 'at' | 'code'> & {
  readonly code: RefusalCode
  readonly arguments: Readonly<Record<string, unknown>>
}

export type RefusalRecorder = (refusal: Refusal) => void

/** A model invents names of any length. */
const maxName = 128
const maxArguments = 64 * 1024

/** Returns a function that records refused tool calls in the history and announces them. */
export function createRefusalRecorder(parts: {
  readonly history: Pick<History, 'keep'>
  readonly nextNumber: () => number
  readonly environment: Pick<Environment, 'secrets'>
  readonly publish: (occurrence: Occurrence) => void
  /** Milliseconds since 1970. */
  readonly clock: () => number
}): RefusalRecorder {
  const { history, nextNumber, environment, publish, clock } = parts
  return ({ arguments: given, ...facts }) => {
    const refused: RefusedCall = {
      ...facts,
      kind: 'call.refused',
      id: idOf(refusalPrefix, nextNumber()),
      at: clock(),
      toolName: facts.toolName.slice(0, maxName),
      client: facts.client && { ...facts.client, tool: facts.client.tool.slice(0, maxName) },
    }
    const isShort = JSON.stringify(given).length <= maxArguments
    const details = isShort ? { arguments: maskArguments(given, environment.secrets()) } : {}
    const stored = toStored(refused, JSON.stringify(details))
    const bytes = 2 * (stored.summary.length + stored.details.length)
    history.keep('call.refused', { connectionId: refused.connectionId, bytes, toStored: () => stored })
    publish(refused)
  }
}
