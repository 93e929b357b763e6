import { z } from 'zod'
import { annotationsOf, type CatalogueEntry, digestOf, toolOf, unchanged } from '#main/assistant/tools.ts'
import { argumentIssues, type TakenArguments } from '#main/outbound/arguments.ts'
import { maskArguments } from '#main/outbound/masking.ts'
import type { Config } from '#main/storage/config.ts'
import type { HeldCallStore } from '#main/storage/held-calls.ts'
import { ServiceError } from '#shared/errors.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { CallArguments } from '#shared/model/call.ts'
import { CallDecision, type ToolCallPart } from '#shared/model/conversation.ts'
import type { AnswerParts } from './answer-parts.ts'
import { isAlwaysAllowed } from './authorize-call.ts'
import type { Session } from './session.ts'
import { changeCall, findCall } from './transcript.ts'

/** The kind of the calls of conversations among the held calls. */
export const callKind = 'conversation'

/** A call that waits for a person. */
export type WaitingCall = { readonly target: CatalogueEntry } & TakenArguments
/** The calls of an answer that wait on this node, by their ids. */
export type WaitingCalls = ReadonlyMap<string, WaitingCall>

/** The outcome of a decision: the call is made or declined. */
export type Decision = ({ readonly kind: 'call' } & TakenArguments) | { readonly kind: 'decline' }

/** A person's decision about a call. */
export type Decided = {
  readonly toolCallId: string
  readonly decision: CallDecision
  /** Replace the arguments of the model. */
  readonly given?: CallArguments | undefined
}

/** A decision on its way to the node that makes the answer. `at` is ISO 8601. */
const SentDecision = z.object({ decision: CallDecision, given: CallArguments.optional(), at: z.string() })
type SentDecision = z.infer<typeof SentDecision>

type Deciding = {
  readonly session: Session
  readonly waiting: WaitingCalls
  readonly config: Config
  readonly held: Pick<HeldCallStore, 'decide'>
  /** ISO 8601. */
  readonly at: string
}

/**
 * Checks a decision about a call, and sends it to the node that makes the answer: this one or another.
 *
 * @throws ServiceError `call_not_waiting`, `always_not_allowed`, `invalid_input`, `storage_unavailable`.
 */
export async function decideCall(
  deciding: Deciding,
  { toolCallId, decision, given }: Decided,
): Promise<void> {
  const { session, waiting, config, held, at } = deciding
  const call = findCall(session.now(), toolCallId)
  if (call?.state !== 'asking') throw new ServiceError('call_not_waiting')
  if (decision === 'always' && isDestructive(call)) throw new ServiceError('always_not_allowed')
  if (decision !== 'decline' && given !== undefined)
    requireArguments(config, waiting.get(toolCallId)?.target ?? targetOf(config, call), given)
  if (!(await sendDecision(held, toolCallId, { decision, given, at })))
    throw new ServiceError('call_not_waiting')
}

/** Returns whether the call still waited. */
async function sendDecision(
  held: Pick<HeldCallStore, 'decide'>,
  toolCallId: string,
  decision: SentDecision,
): Promise<boolean> {
  return (await held.decide(callKind, toolCallId, JSON.stringify(decision))) !== null
}

const isDestructive = ({ method }: ToolCallPart) => method !== null && annotationsOf({ method }).destructive

function targetOf(config: Config, { connectionId, actionId }: ToolCallPart): CatalogueEntry | undefined {
  return connectionId === null || actionId === null ? undefined : toolOf(config, connectionId, actionId)
}

/**
 * Applies a decision to a call that waits on this node. “Always” also holds for the other calls of the action that wait.
 * Returns what to do with the call.
 *
 * @param text as it was sent.
 */
export function applyDecision(
  { session, config, secrets, held, onError }: AnswerParts,
  waiting: WaitingCalls,
  toolCallId: string,
  text: string,
): Decision {
  const { decision, given, at } = SentDecision.parse(parseExact(text))
  const call = waiting.get(toolCallId)
  if (decision === 'decline' || call === undefined) {
    session.change(transcript => changeCall(transcript, toolCallId, { state: 'declined', decidedAt: at }))
    return { kind: 'decline' }
  }
  const sent = given ?? call.given
  const isEdited = given !== undefined && JSON.stringify(given) !== JSON.stringify(call.given)
  const shown = maskArguments(sent, secrets())
  session.change(transcript =>
    changeCall(transcript, toolCallId, {
      ...{ state: 'running', decision, decidedAt: at, arguments: shown, edited: isEdited },
    }),
  )
  // The person has not seen what a changed action would call from then on.
  if (decision === 'always' && unchanged(config(), call.target) !== null) {
    const allowed = { [call.target.tool.actionId]: digestOf(call.target) }
    session.change(transcript => ({ ...transcript, always: { ...transcript.always, ...allowed } }))
    for (const [otherId, other] of waiting)
      if (otherId !== toolCallId && isAlwaysAllowed(session.now().always, other.target))
        sendDecision(held, otherId, { decision, at }).catch(onError)
  }
  return { kind: 'call', given: sent, converted: isEdited ? [] : call.converted }
}

/** Declines all calls that wait on this node. @param at ISO 8601. */
export async function declineCalls(
  held: Pick<HeldCallStore, 'decide'>,
  waiting: WaitingCalls,
  at: string,
): Promise<void> {
  const declined = [...waiting.keys()].map(id => sendDecision(held, id, { decision: 'decline', at }))
  await Promise.all(declined)
}

/** A tool that has changed is refused later, whatever its arguments. @throws ServiceError `invalid_input`. */
function requireArguments(config: Config, target: CatalogueEntry | undefined, given: CallArguments): void {
  const now = target === undefined ? null : unchanged(config, target)
  const issues = now === null ? [] : argumentIssues(now.action.parameters, given)
  if (issues.length === 0) return
  throw new ServiceError('invalid_input', {
    data: { issues: issues.map(issue => ({ ...issue, path: `arguments.${issue.path}` })) },
  })
}
