import { isDeepStrictEqual } from 'node:util'
import type { Arrival } from '#main/inbound/probes.ts'
import { tokenOf } from '#main/inbound/route.ts'
import { pickSignedHeaders } from '#main/inbound/signed-headers.ts'
import { signatureHeader, timestampHeader } from '#main/signing/sign.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import type { CallError } from '#shared/model/call.ts'
import type { ProbeResult } from '#shared/model/probe.ts'

export type SentProbe = {
  readonly token: string
  readonly body: Buffer
  readonly timestamp: string
  readonly signature: string
}

export type ProbeAnswer = {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly bodyText: string
}

export type ProbeOutcome = {
  /** The host and port of the public address. */
  readonly host: string
  /** The expected destination. */
  readonly listenerUrl: string
  readonly sent: SentProbe
  /** The request as the listener received it; null if none arrived. */
  readonly arrival: Arrival | null
  readonly answered: { readonly answer: ProbeAnswer } | { readonly failure: CallError }
}

type Verdict = Pick<ProbeResult, 'code' | 'message'>

/** Returns the verdict of a probe, with a message that says what to do. Pure. */
export function evaluateProbe(outcome: ProbeOutcome): Verdict {
  const { arrival, sent, answered, host } = outcome
  if (arrival !== null) {
    const change = changeOf(sent, arrival)
    if (change !== null)
      return { code: 'altered', message: `The probe arrived, but was changed on the way: ${change}` }
    if ('failure' in answered) {
      const code = answered.failure.code === 'timeout' ? 'timeout' : 'unreachable'
      const message = `The probe arrived unchanged, but its answer did not return. Senders would see their events fail. ${answered.failure.message}`
      return { code, message }
    }
    const { status } = answered.answer
    if (status === 200)
      return { code: 'ok', message: `The probe passed through ${host} and arrived unchanged.` }
    const message = `The probe arrived unchanged and was answered with 200, but ${host} changed that to ${status}, so senders would see a failure. Configure the proxy to pass on answers unchanged.`
    return { code: 'other_server', message }
  }
  if ('failure' in answered) return evaluateFailure(answered.failure, outcome)
  return { code: 'other_server', message: evaluateAnswer(answered.answer, outcome) }
}

/** Returns the first relevant change, and what to do; null if there is none. */
function changeOf(sent: SentProbe, { method, target, rawHeaders, body }: Arrival): string | null {
  if (method !== 'POST')
    return `it became a ${method}, probably through a redirect. Use the address that the redirect leads to.`
  if (tokenOf(target) !== sent.token) {
    const path = short(target.replaceAll(sent.token, '<token>'))
    return `its path became ${path} instead of /api/connect/<token>/events. ${keepPath}`
  }
  const headers = pickSignedHeaders(rawHeaders)
  for (const [name, before, now] of [
    [timestampHeader, sent.timestamp, headers.timestamp],
    [signatureHeader, sent.signature, headers.signature],
  ]) {
    if (now === undefined)
      return `the header ${name} is missing. Configure the proxy to pass on headers that start with x-service-.`
    if (now !== before)
      return `the header ${name} has another value. Configure the proxy to pass it on unchanged.`
  }
  if (headers.repeated !== null)
    return `the header x-service-${headers.repeated} arrived twice. Configure the proxy to pass it on once.`
  if (headers.contentEncoding !== undefined)
    return `its body is encoded (${short(headers.contentEncoding)}). Turn off the compression of requests in the proxy.`
  return bodyChange(sent.body, body)
}

function bodyChange(before: Buffer, now: Buffer | null): string | null {
  if (now?.equals(before)) return null
  if (now?.length === 0) return 'its body is empty, probably through a redirect or a proxy.'
  if (now !== null && saysTheSame(before, now))
    return 'its JSON was reformatted, with other spaces, escapes or numbers, so no signature matches. Configure the proxy or gateway to pass on bodies unchanged, without parsing them.'
  return `its body has ${now === null ? 'too many' : now.length} bytes instead of ${before.length}. Configure the proxy or gateway to pass on bodies unchanged.`
}

const keepPath = 'Configure the proxy to remove only the path of the public address.'

function saysTheSame(before: Buffer, now: Buffer): boolean {
  const sent = parseJson(before.toString())
  return sent !== undefined && isDeepStrictEqual(sent, parseJson(now.toString()))
}

function evaluateFailure({ code, message }: CallError, { listenerUrl }: ProbeOutcome): Verdict {
  switch (code) {
    case 'blocked_address':
      return { code, message }
    case 'tls_error':
      return { code, message: `${message} Senders will not trust it either.` }
    case 'timeout':
      return { code, message: `${message} Check for a firewall, and whether the tunnel is running.` }
    default:
      return { code: 'unreachable', message: `${message} ${adviceFor(code, listenerUrl)}` }
  }
}

function adviceFor(code: string, listenerUrl: string): string {
  if (code === 'connection_refused') return `Start the tunnel or proxy, and point it to ${listenerUrl}.`
  if (code === 'dns_failure') return 'Check the address. A tunnel may get a new name each time it starts.'
  return 'Check the address, and whether the tunnel or proxy is running.'
}

/** Statuses that proxies and tunnels return if they cannot reach the server behind them. */
const noOrigin = new Set([502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 530])

function evaluateAnswer(answer: ProbeAnswer, { host, listenerUrl }: ProbeOutcome): string {
  const { status, headers } = answer
  const leadHere = `Point it to ${listenerUrl}.`
  const refusal = refusalOf(answer)
  if (refusal === 'not_found')
    return `A Custom Connection service answers at ${host}, but the path /api/connect/<token>/events did not reach it unchanged. ${keepPath}`
  if (refusal !== null)
    return `Another Custom Connection service answers at ${host} (${short(refusal)}). ${leadHere}`
  const tunnel = headers['ngrok-error-code']
  if (tunnel !== undefined)
    return `ngrok answers at ${host}, but its tunnel is not running or points elsewhere (${short(tunnel)}). ${leadHere}`
  if (noOrigin.has(status))
    return `A proxy or tunnel answers at ${host}, but does not reach this service (${status}). ${leadHere}`
  if (status >= 300 && status < 400)
    return `${host} redirects ${to(headers.location)} (${status}), and senders may not follow. Use the address that it redirects to.`
  if (status === 401 || status === 403 || status === 407)
    return `${host} requires a sign-in (${status}). Configure it to let requests to /api/connect/ through.`
  return `Another server answers at ${host} (${status}), and the probe did not arrive. Check the address, and that the tunnel or proxy points to ${listenerUrl}.`
}

/** Returns the error code if the answer is a refusal of a Custom Connection; else null. */
function refusalOf({ bodyText }: ProbeAnswer): string | null {
  const body = parseJson(bodyText)
  if (typeof body !== 'object' || body === null || !('ok' in body) || !('error' in body)) return null
  return body.ok === false && typeof body.error === 'string' ? body.error : null
}

function to(location: string | undefined): string {
  return location !== undefined && URL.canParse(location)
    ? `to ${short(new URL(location).origin)}`
    : 'elsewhere'
}

/** Shortens an external text for a message. */
function short(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`
}
