import { digestOf, unchanged } from '#main/assistant/tools.ts'
import { argumentIssues } from '#main/outbound/arguments.ts'
import { maskArguments } from '#main/outbound/masking.ts'
import type { Config } from '#main/storage/config.ts'
import { ServiceError } from '#shared/errors.ts'
import type { CallArguments } from '#shared/model/call.ts'
import type { CallDecision } from '#shared/model/conversation.ts'
import type { WaitingCall } from './answer-calls.ts'
import { isAlwaysAllowed } from './judge-call.ts'
import type { Session } from './session.ts'
import { changeCall } from './transcript.ts'

/** A person's decision about a call. */
export type Decided = {
  readonly toolCallId: string
  readonly decision: CallDecision
  /** Replace the arguments of the model. */
  readonly given?: CallArguments | undefined
}

type Deciding = {
  readonly session: Session
  readonly waiting: ReadonlyMap<string, WaitingCall>
  readonly config: Config
  readonly secrets: readonly string[]
  /** ISO 8601. */
  readonly at: string
}

/**
 * Carries out the decision about a call. “Always” also holds for the other calls of the action that wait.
 *
 * @throws ServiceError `call_not_waiting`, `always_not_allowed`, `invalid_input`.
 */
export function decideCall(deciding: Deciding, { toolCallId, decision, given }: Decided): void {
  const { session, waiting, config, secrets, at } = deciding
  const call = waiting.get(toolCallId)
  if (call === undefined) throw new ServiceError('call_not_waiting')
  if (decision === 'decline') {
    declineCall(session, toolCallId, call, at)
    return
  }
  const { actionId, annotations } = call.target.tool
  if (decision === 'always' && annotations.destructive) throw new ServiceError('always_not_allowed')
  if (given !== undefined) requireArguments(config, call, given)
  const sent = given ?? call.given
  session.change(transcript =>
    changeCall(transcript, toolCallId, {
      ...{ state: 'running', decision, decidedAt: at, arguments: maskArguments(sent, secrets) },
      edited: given !== undefined && JSON.stringify(given) !== JSON.stringify(call.given),
    }),
  )
  call.decide({ kind: 'call', given: sent })
  // Of an action that has changed, the person has not seen what would be called from then on.
  if (decision !== 'always' || unchanged(config, call.target) === null) return
  session.change(transcript => ({
    ...transcript,
    always: { ...transcript.always, [actionId]: digestOf(call.target) },
  }))
  for (const [otherId, other] of waiting) {
    if (!isAlwaysAllowed(session.now().always, other.target)) continue
    session.change(transcript =>
      changeCall(transcript, otherId, { state: 'running', decision, decidedAt: at }),
    )
    other.decide({ kind: 'call', given: other.given })
  }
}

/** Declines a call that waits. @param at ISO 8601. */
export function declineCall(session: Session, toolCallId: string, call: WaitingCall, at: string): void {
  session.change(transcript => changeCall(transcript, toolCallId, { state: 'declined', decidedAt: at }))
  call.decide({ kind: 'decline' })
}

/** A tool that has changed is refused later, whatever its arguments. @throws ServiceError `invalid_input`. */
function requireArguments(config: Config, { target }: WaitingCall, given: CallArguments): void {
  const now = unchanged(config, target)
  const issues = now === null ? [] : argumentIssues(now.action.parameters, given)
  if (issues.length === 0) return
  throw new ServiceError('invalid_input', {
    data: { issues: issues.map(issue => ({ ...issue, path: `arguments.${issue.path}` })) },
  })
}
