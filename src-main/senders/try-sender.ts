import type { ListedEvent } from '#main/inbound/sender-body.ts'
import { headerLines } from '#main/inbound/signed-headers.ts'
import { verifySender } from '#main/inbound/verify-sender.ts'
import { diagnose } from '#main/signing/diagnose.ts'
import {
  type FetchedKey,
  type FetchedKeys,
  type KeySource,
  noFetchedKeys,
} from '#main/signing/fetched-keys.ts'
import type { HeaderFields } from '#main/signing/header-fields.ts'
import type { DatedSecret } from '#main/signing/prepare-sender.ts'
import type { OtherConnection } from '#main/signing/suspects.ts'
import { startCounter } from '#main/workflows/count-starts.ts'
import { dayMs } from '#shared/durations.ts'
import { isAboutSignature } from '#shared/errors/inbound.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Sender } from '#shared/model/sender/sender.ts'
import { maxTriedItems, type SenderTrial } from '#shared/model/sender/sender-trial.ts'
import type { Verification } from '#shared/model/sender/verification.ts'
import type { WorkflowTrigger } from '#shared/model/workflow.ts'
import { readCaptured } from './captured-request.ts'

/** A refused request that is kept; `at` in milliseconds since 1970. */
export type KeptRequest = {
  readonly headers: HeaderFields
  readonly bodyText: string
  /** Part of the URL, after its question mark. */
  readonly query?: string
  readonly at: number
}

/** The input of a sender's trial, in a form that can cross threads. */
export type TrialJob = {
  readonly sender: Sender
  readonly secrets: readonly DatedSecret[]
  readonly url: string
  /** The request, with its time of arrival in ms since 1970; null if it is not known. */
  readonly request: { readonly at: number | null } & (
    | { readonly text: string }
    | {
        readonly headers: HeaderFields
        readonly body: string
        readonly method?: string | undefined
        readonly query?: string | undefined
      }
  )
  /** The token that a question of the sender must have; by default none is set. */
  readonly verifyToken?: string | undefined
  /** Another secret that the sender may have signed with. */
  readonly ownSecret?: string | undefined
  readonly inboundToken: string
  readonly otherConnections: readonly OtherConnection[]
  /** The public keys that were fetched for it, with their address. */
  readonly fetched?: { readonly source: KeySource; readonly keys: readonly FetchedKey[] } | undefined
  /** The refused requests to try as well. */
  readonly kept: readonly KeptRequest[]
  readonly connectionId: string
  /** The triggers of the enabled workflows that may take its events. */
  readonly triggers: readonly WorkflowTrigger[]
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/** How long ago a request may have been captured whose time of arrival is not known. */
const longestKeptMs = 30 * dayMs

/**
 * Verifies a captured request step by step, and diagnoses a wrong signature. The age of a timestamp counts only if it is
 * known when the request arrived. If the request is accepted, tries the kept ones as well. Pure.
 *
 * @throws ServiceError `invalid_input` for a text that is not a request.
 */
export function trySender(given: TrialJob): SenderTrial {
  const { headers, bodies, method, query = '' } = readTried(given.request)
  const job = { ...given, method, url: urlWith(given.url, query) }
  const tries = bodies.map(body => ({ body, ...verifyCaptured(job, headers, body) }))
  const { body, verification: verified, nowMs } = tries.find(isSigned) ?? tries[0] ?? fail()
  const { events = [], diagnosis, ...verification } = verified
  return {
    ...verification,
    diagnosis:
      diagnosis !== undefined || !isAboutSignature(verification.code)
        ? (diagnosis ?? null)
        : diagnosisOf(job, headers, body, nowMs),
    headers: headers.map(([name, value]) => [name, value]),
    bodyText: body,
    refused: verification.ok ? tryKept(given) : null,
    ...(events.length > 0 && { items: itemsOf(given, headers, events) }),
  }
}

function itemsOf(
  { connectionId, triggers }: TrialJob,
  headers: HeaderFields,
  events: readonly ListedEvent[],
): SenderTrial['items'] {
  const countStarts = startCounter(triggers)
  const common = { connectionId, headerLines: headerLines(headers.flat(), null) }
  const first = events
    .slice(0, maxTriedItems)
    .map(event => ({ eventName: event.eventName, workflows: countStarts({ ...common, ...event }) }))
  return { total: events.length, first }
}

/**
 * Returns the address of the public keys that the request of a trial is verified with; null if it needs none.
 *
 * @throws ServiceError as `trySender`.
 */
export function keysNeeded(job: Omit<TrialJob, 'kept'>): KeySource | null {
  const { headers, bodies, method, query = '' } = readTried(job.request)
  let needed: KeySource | null = null
  const fetchedKeys: FetchedKeys = source => {
    needed = source
    return noFetchedKeys(source)
  }
  const tried = { ...job, kept: [], method, url: urlWith(job.url, query) }
  for (const body of bodies) verifyCaptured(tried, headers, body, fetchedKeys)
  return needed
}

/** Returns the keys of a trial as those that are known. */
function keysOf({ fetched }: TrialJob): FetchedKeys {
  return source =>
    fetched !== undefined && fetched.source.url === source.url && fetched.source.as === source.as
      ? { keys: fetched.keys, isFresh: true, mayFetch: false }
      : noFetchedKeys(source)
}

function readTried(request: TrialJob['request']) {
  if (!('text' in request)) return { ...request, bodies: [request.body] }
  const captured = readCaptured(request.text)
  if (!('problem' in captured)) return captured
  throw new ServiceError('invalid_input', {
    data: { issues: [{ path: 'text', message: captured.problem }] },
  })
}

const urlWith = (url: string, query: string) => (query === '' ? url : `${url}?${query}`)

function fail(): never {
  throw new RangeError('A request has a body, which may be empty.')
}

function isSigned({ verification }: { readonly verification: Verification }): boolean {
  return verification.steps.some(({ step, state }) => step === 'signature' && state === 'passed')
}

/** Verifies a request as of its arrival; one that was captured earlier, as of its own timestamp. */
function verifyCaptured(
  job: TrialJob & { readonly method: string | undefined },
  headers: HeaderFields,
  body: string,
  fetchedKeys = keysOf(job),
): { readonly verification: ReturnType<typeof verifySender>; readonly nowMs: number } {
  const { sender, secrets, method, url, verifyToken, request, nowMs: now } = job
  const called = { method, url, verifyToken }
  const tried = {
    sender,
    secrets,
    ...called,
    rawHeaders: headers.flat(),
    body: Buffer.from(body),
    fetchedKeys,
  }
  const nowMs = request.at ?? now
  const verification = verifySender({ ...tried, nowMs })
  const time = verification.steps.find(step => step.step === 'time')
  const ageMs = time?.state === 'failed' ? time.ageMs : null
  if (request.at !== null || ageMs === null || ageMs < 0 || ageMs > longestKeptMs)
    return { verification, nowMs }
  const { steps, ...rest } = verifySender({ ...tried, nowMs: nowMs - ageMs })
  const withAge = steps.map(step => (step.step === 'time' ? { ...step, ageMs } : step))
  return { verification: { ...rest, steps: withAge }, nowMs: nowMs - ageMs }
}

function diagnosisOf(job: TrialJob, headers: HeaderFields, body: string, nowMs: number) {
  const [current, ...old] = job.secrets
  return diagnose({
    ...job,
    ...{ headers, nowMs, rawBody: Buffer.from(body) },
    secret: current?.secret ?? '',
    oldSecrets: old.map(({ secret }) => secret),
  })
}

function tryKept(job: TrialJob): SenderTrial['refused'] {
  const { sender, secrets, url, kept } = job
  const fetchedKeys = keysOf(job)
  const names = kept.flatMap(({ headers, bodyText, query = '', at }) => {
    const request = { rawHeaders: headers.flat(), body: Buffer.from(bodyText), nowMs: at }
    const called = urlWith(url, query)
    const { ok, steps } = verifySender({ sender, secrets, url: called, fetchedKeys, ...request })
    return ok ? [steps.find(step => step.step === 'event_name')?.value ?? ''] : []
  })
  const eventNames = [...new Set(names)].filter(name => name !== '')
  return { total: kept.length, accepted: names.length, eventNames }
}
