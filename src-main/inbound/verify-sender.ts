import type { FetchedKeys } from '#main/signing/fetched-keys.ts'
import { placeText } from '#main/signing/places.ts'
import { type DatedSecret, prepareSender } from '#main/signing/prepare-sender.ts'
import { proofBodyOf } from '#main/signing/proof-body.ts'
import { headProblemOf, matchHead, readHead } from '#main/signing/read-sender.ts'
import type { Match, SenderHead } from '#main/signing/sender-head.ts'
import { maxDateMs } from '#shared/durations.ts'
import { inboundErrors } from '#shared/errors/inbound.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import type { Sender } from '#shared/model/sender/sender.ts'
import { secretProblem } from '#shared/model/sender/sender-secret.ts'
import { digestBytes, namePlacesOf, type Place } from '#shared/model/sender/sender-template.ts'
import type { StepState, Verification, VerificationStep } from '#shared/model/sender/verification.ts'
import {
  mayAskUnsigned,
  type Question,
  type RefusedQuestion,
  signedQuestion,
  unsignedQuestion,
} from './challenges.ts'
import { bodyProblemOf, type ListedEvent, readSenderBody, type SenderBody } from './sender-body.ts'

const maxShownText = 200
const maxFields = 20

/** A request to verify with a sender's scheme. */
export type RequestToVerify = {
  readonly sender: Sender
  /** Secrets of the sender, or of the connection for the default scheme. */
  readonly secrets: readonly DatedSecret[]
  /** Alternating names and values, as in node:http. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  /** By default POST. */
  readonly method?: string | undefined
  /** The URL that the sender called, for `{{url}}` and for what is in its query. */
  readonly url: string
  /** The token that a question must have; by default none is set. */
  readonly verifyToken?: string | undefined
  /** Milliseconds since 1970. */
  readonly nowMs: number
  /** By default, no fetched keys are known. */
  readonly fetchedKeys?: FetchedKeys | undefined
}

type Verified = Verification & {
  /** The mistake of a refused question, if it is known: its signature is none. */
  readonly diagnosis?: Diagnosis | null
  /** The events of a list, also of a refused request; left out for another body. */
  readonly events?: readonly ListedEvent[]
}

/**
 * Verifies a request step by step, with the parts that the listener decides with. For the owner of the connection only:
 * it says which secret matched. Pure; never throws.
 */
export function verifySender(request: RequestToVerify): Verified {
  const { sender, secrets, rawHeaders, body, method = 'POST', url, nowMs } = request
  const { verifyToken, fetchedKeys } = request
  const received = { method, rawHeaders, url: () => url, body: proofBodyOf(body), fetchedKeys }
  const prepared = prepareSender(sender, secrets)
  const head = readHead(prepared, received, nowMs)
  const asked = {
    record: { verifyToken, senderSecret: secrets[0]?.secret },
    sender: { scheme: sender.scheme, prepared },
  }
  const called = { method, target: url, rawHeaders }
  const unsigned = mayAskUnsigned(asked, called)
    ? unsignedQuestion(asked, called, body, headProblemOf(head) === null)
    : null
  if (unsigned !== null) return { ...answerTo(unsigned), steps: [] }
  if (method !== 'POST') {
    const { message } = inboundErrors.method_not_allowed
    return { ok: false, code: 'method_not_allowed', message, challenge: null, steps: [] }
  }
  const match = matchHead(head, body, nowMs)
  const content = match.problem === null ? (match.content ?? body) : body
  const read = readSenderBody(head.prepared, { rawHeaders, target: url }, content)
  const isVerified = headProblemOf(head) === null && match.problem === null
  const question = isVerified ? signedQuestion(asked, called, read.json.root) : null
  const steps = [...headSteps(head, nowMs), signedTextStep(head, body), signatureStep(request, head, match)]
  if (question !== null) return { ...answerTo(question), steps }
  const problem = headProblemOf(head) ?? match.problem ?? bodyProblemOf(read)
  return {
    ok: problem === null,
    code: problem?.code ?? null,
    message: problem?.detail ?? null,
    challenge: null,
    steps: [...steps, ...bodySteps(head, read, isVerified)],
    ...(read.events !== null && { events: read.events }),
  }
}

function answerTo(question: Question | RefusedQuestion): Omit<Verified, 'steps'> {
  if (!('refused' in question))
    return { ok: true, code: null, message: null, challenge: question.answer.body }
  const { refused: message, diagnose } = question
  return { ok: false, code: 'invalid_signature', message, challenge: null, diagnosis: diagnose?.() ?? null }
}

type Found<Step extends VerificationStep['step']> = Omit<
  Extract<VerificationStep, { step: Step }>,
  'step' | 'state' | 'message'
>

/** Returns a step whose problem, if any, made it fail. */
function step<Step extends VerificationStep['step']>(
  name: Step,
  state: StepState,
  problem: { readonly detail: string } | null,
  found: Found<Step>,
) {
  const failed = state === 'passed' && problem !== null
  return {
    step: name,
    state: failed ? 'failed' : state,
    message: failed ? problem.detail : null,
    ...found,
  } as const
}

function headSteps(
  { prepared, header, prefix, encoding, time }: SenderHead,
  nowMs: number,
): VerificationStep[] {
  const { signature, timestamp, template } = prepared
  const reachedIf = (isReached: boolean) => (isReached ? 'passed' : 'not_reached')
  const hasHeader = header.problem === null
  const { atMs } = time ?? {}
  const isDate = atMs !== undefined && Math.abs(atMs) <= maxDateMs
  return [
    step('header', signature === null ? 'not_used' : 'passed', header.problem, {
      header: signature === null ? '' : nameOf(signature),
    }),
    step('prefix', template.prefix === '' ? 'not_used' : reachedIf(hasHeader), prefix.problem, {
      prefix: template.prefix,
    }),
    step(
      'encoding',
      isSigned(prepared) ? reachedIf(hasHeader && prefix.problem === null) : 'not_used',
      encoding.problem,
      {
        encoding: template.encoding,
        bytes: encoding.digests[0]?.length ?? digestBytes[template.algorithm],
      },
    ),
    step('time', time === null ? 'not_used' : 'passed', time?.problem ?? null, {
      header: timestamp === null ? null : nameOf(timestamp),
      text: time?.text ?? null,
      at: isDate ? new Date(atMs).toISOString() : null,
      ageMs: atMs === undefined ? null : nowMs - atMs,
    }),
  ]
}

/** Returns whether a proof is a signature of a text. */
const isSigned = ({ template: { signed } }: SenderHead['prepared']) => signed !== ''

/** Returns a header by its name, and another place in words. */
const nameOf = (place: Place) => ('header' in place ? place.header : placeText(place))

function hasSignedText({ time, signed }: SenderHead): boolean {
  return signed.problem === null && (time === null || time.text !== undefined)
}

function signedTextStep(head: SenderHead, body: Buffer): VerificationStep {
  const { before, after, hasBody, problem } = head.signed
  const isReached = isSigned(head.prepared) && (head.time === null || head.time.text !== undefined)
  const text = before + (hasBody ? body.toString('utf8', 0, 4 * maxShownText) : '') + after
  const state = isReached ? 'passed' : 'not_reached'
  return step('signed_text', isSigned(head.prepared) ? state : 'not_used', problem, {
    template: head.prepared.template.signed,
    text: isReached ? text.slice(0, maxShownText) : '',
    bytes: before.length + (hasBody ? body.length : 0) + after.length,
  })
}

function signatureStep(
  { sender, secrets }: RequestToVerify,
  head: SenderHead,
  match: Match,
): VerificationStep {
  const [current] = secrets
  const secretMissing =
    current === undefined || current.secret === '' ? noSecret : secretProblem(current.secret, sender)
  const unusable = head.prepared.usesSecret ? secretMissing : null
  const { header, prefix, encoding } = head
  const isReached = hasSignedText(head) && [header, prefix, encoding].every(({ problem }) => problem === null)
  const problem = match.problem === null ? null : { detail: unusable ?? match.problem.detail }
  return step('signature', isReached ? 'passed' : 'not_reached', problem, {
    secret: isReached && match.problem === null ? match.secret : null,
  })
}

function bodySteps({ prepared }: SenderHead, body: SenderBody, isVerified: boolean): VerificationStep[] {
  const { eventName, data } = prepared.template
  const state = !isVerified ? 'not_reached' : body.isEmpty ? 'not_used' : 'passed'
  const nameProblem = body.eventName.problem ?? null
  const isInHeader = namePlacesOf(eventName).every(place => 'header' in place)
  return [
    step('event_name', state, isInHeader ? nameProblem : (body.json.problem ?? nameProblem), {
      source: eventName,
      value: isVerified && nameProblem === null ? body.eventName.value : null,
    }),
    step('data', state, body.json.problem ?? body.data.problem, {
      source: data,
      fields: isVerified && !body.isEmpty ? Object.keys(body.data.value).slice(0, maxFields) : [],
      ...(isVerified && body.events !== null && { events: body.events.length }),
    }),
  ]
}

const noSecret = 'The secret of the sender has not been saved yet, so every request is refused.'
