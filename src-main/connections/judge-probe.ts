import { isDeepStrictEqual } from 'node:util'
import type { Arrival } from '#main/inbound/probes.ts'
import { tokenOf } from '#main/inbound/route.ts'
import { pickSignedHeaders } from '#main/inbound/signed-headers.ts'
import { signatureHeader, timestampHeader } from '#main/signing/sign.ts'
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
  /** Host and port that it was sent to. */
  readonly host: string
  /** Where it should come out. */
  readonly listenerUrl: string
  readonly sent: SentProbe
  /** What came to the listener; null where nothing did. */
  readonly arrival: Arrival | null
  readonly answered: { readonly answer: ProbeAnswer } | { readonly failure: CallError }
}

type Verdict = Pick<ProbeResult, 'code' | 'message'>

/** What became of a probe, in words that say what to do about it. Pure. */
export function judgeProbe(outcome: ProbeOutcome): Verdict {
  const { arrival, sent, answered, host } = outcome
  if (arrival !== null) {
    const change = changeOf(sent, arrival)
    if (change !== null) return { code: 'altered', message: `It arrived here, but altered: ${change}` }
    if ('failure' in answered) {
      const code = answered.failure.code === 'timeout' ? 'timeout' : 'unreachable'
      const message = `It arrived here unaltered, but the answer did not come back, so senders would count it as failed: ${answered.failure.message}`
      return { code, message }
    }
    const { status } = answered.answer
    if (status === 200) return { code: 'ok', message: `It came through ${host} and arrived here unaltered.` }
    const message = `It arrived here unaltered and was answered 200, but ${host} made that ${status}: senders would count it as failed. Let the proxy pass answers on as they are.`
    return { code: 'other_server', message }
  }
  if ('failure' in answered) return judgeFailure(answered.failure, outcome)
  return { code: 'other_server', message: judgeAnswer(answered.answer, outcome) }
}

/** What is not as it was sent, and what to do; null when all that matters is. */
function changeOf(sent: SentProbe, { method, target, rawHeaders, body }: Arrival): string | null {
  if (method !== 'POST')
    return `it is a ${method} now. A redirect on the way can do that; use the address it leads to.`
  if (tokenOf(target) !== sent.token) {
    const path = short(target.replaceAll(sent.token, '<token>'))
    return `its path is ${path} now, and has to be /api/connect/<token>/events. Let the proxy take away the path of the public address, and nothing else.`
  }
  const headers = pickSignedHeaders(rawHeaders)
  for (const [name, before, now] of [
    [timestampHeader, sent.timestamp, headers.timestamp],
    [signatureHeader, sent.signature, headers.signature],
  ]) {
    if (now === undefined)
      return `the header ${name} is missing. Let the proxy pass headers that begin with x-service- on.`
    if (now !== before) return `the header ${name} has another value. Let the proxy pass it on as it is.`
  }
  if (headers.repeated !== null)
    return `the header x-service-${headers.repeated} is there twice. Let the proxy pass it on once.`
  if (headers.contentEncoding !== undefined)
    return `its body is encoded (${short(headers.contentEncoding)}). Switch off compression of requests in the proxy.`
  return bodyChange(sent.body, body)
}

function bodyChange(before: Buffer, now: Buffer | null): string | null {
  if (now?.equals(before)) return null
  if (now?.length === 0) return 'its body is empty. A redirect on the way can do that, or a proxy.'
  if (now !== null && saysTheSame(before, now))
    return 'its JSON was written anew, with other spaces, escapes or numbers, and no signature fits it any more. Have the proxy or gateway pass bodies on as they are, without parsing them.'
  return `its body has ${now === null ? 'too many' : now.length} bytes in place of ${before.length}. Have the proxy or gateway pass bodies on as they are.`
}

function saysTheSame(before: Buffer, now: Buffer): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(before.toString()), JSON.parse(now.toString()))
  } catch {
    return false
  }
}

function judgeFailure({ code, message }: CallError, { listenerUrl }: ProbeOutcome): Verdict {
  switch (code) {
    case 'blocked_address':
      return { code, message }
    case 'tls_error':
      return { code, message: `${message} Senders will not trust it either.` }
    case 'timeout':
      return {
        code,
        message: `${message} Look for a firewall on the way, and whether the tunnel still runs.`,
      }
    case 'connection_refused':
      return {
        code: 'unreachable',
        message: `${message} Start the tunnel or proxy, and let it lead to ${listenerUrl}.`,
      }
    case 'dns_failure':
      return {
        code: 'unreachable',
        message: `${message} Check the address; a tunnel may have a new name each time it starts.`,
      }
    default:
      return {
        code: 'unreachable',
        message: `${message} Check the address, and that the tunnel or proxy runs.`,
      }
  }
}

/** Statuses with which proxies and tunnels say that they do not reach what is behind them. */
const noOrigin = new Set([502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 530])

function judgeAnswer(answer: ProbeAnswer, { host, listenerUrl }: ProbeOutcome): string {
  const { status, headers } = answer
  const leadHere = `Let it lead to ${listenerUrl}.`
  const refusal = refusalOf(answer)
  if (refusal === 'not_found')
    return `A Custom Connection answers at ${host}, but under another path than /api/connect/<token>/events. Let the proxy take away the path of the public address, and nothing else.`
  if (refusal !== null)
    return `Another Custom Connection than this one answers at ${host} (${short(refusal)}). ${leadHere}`
  const tunnel = headers['ngrok-error-code']
  if (tunnel !== undefined)
    return `ngrok answers at ${host}, but its tunnel is not running or leads elsewhere (${short(tunnel)}). ${leadHere}`
  if (noOrigin.has(status))
    return `A proxy or tunnel answers at ${host}, but does not reach this service (${status}). ${leadHere}`
  if (status >= 300 && status < 400)
    return `${host} redirects ${to(headers.location)} (${status}), and senders need not follow. Use the address that it leads to.`
  if (status === 401 || status === 403 || status === 407)
    return `${host} lets nobody through without signing in there (${status}). Let requests to /api/connect/ pass.`
  return `Another server answers at ${host} (${status}), and nothing came here. Check the address, and where the tunnel or proxy leads: it has to be ${listenerUrl}.`
}

/** The code with which a Custom Connection refuses an event; null for any other answer. */
function refusalOf({ bodyText }: ProbeAnswer): string | null {
  try {
    const body: unknown = JSON.parse(bodyText)
    if (typeof body !== 'object' || body === null || !('ok' in body) || !('error' in body)) return null
    return body.ok === false && typeof body.error === 'string' ? body.error : null
  } catch {
    return null
  }
}

function to(location: string | undefined): string {
  return location !== undefined && URL.canParse(location)
    ? `to ${short(new URL(location).origin)}`
    : 'elsewhere'
}

/** What others wrote, as far as a sentence has room for it. */
function short(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`
}
