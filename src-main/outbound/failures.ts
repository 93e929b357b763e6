import { errors } from 'undici'
import { z } from 'zod'
import { type CallErrorCode, callErrors } from '#shared/errors/call.ts'
import type { CallError } from '#shared/model/call.ts'
import { BlockedAddressError } from './address-guard.ts'
import { ConnectTimeoutError } from './connector.ts'
import {
  BodyTooLargeError,
  CallCancelledError,
  CallTimeoutError,
  type Outcome,
  type Phase,
} from './exchange.ts'
import { malformation } from './malformed.ts'
import { SwitchedProtocolError } from './response-start.ts'

/** Creates an error of a call. @param detail a more specific message than the catalogue's. */
export function callError(
  code: CallErrorCode,
  detail?: string,
  data?: unknown,
): CallError & { code: CallErrorCode } {
  const message = detail ?? callErrors[code]
  return data === undefined ? { code, message } : { code, message, data }
}

/** The limits that an error names. */
type NamedLimits = {
  readonly bodyBytes: number
  readonly headerBytes: number
  readonly connectTimeoutMs: number
}

/** Where a call was when it failed. */
type FailedCall = {
  readonly error: unknown
  /** Host and port. */
  readonly host: string
  readonly phase: Phase
  readonly reused: boolean
  /** Bytes of the body that had arrived. */
  readonly received: number
  /** The first bytes of a head that was not read to its end. */
  readonly opening: Buffer
  readonly timeoutMs: number
  readonly limits: NamedLimits
}

/** The call's error for each code of the system and of undici. */
const codes: Readonly<Record<string, CallErrorCode>> = {
  ECONNREFUSED: 'connection_refused',
  ENOTFOUND: 'dns_failure',
  EAI_AGAIN: 'dns_failure',
  EAI_FAIL: 'dns_failure',
  EAI_NODATA: 'dns_failure',
  EAI_NONAME: 'dns_failure',
  ENODATA: 'dns_failure',
  ESERVFAIL: 'dns_failure',
  ETIMEOUT: 'dns_failure',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection_reset',
  UND_ERR_HEADERS_OVERFLOW: 'response_too_large',
}

const headCodes = new Set(['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'ERR_ASSERTION'])
const stopping = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED', 'connector_closed'])

/** Returns the error of a call without a complete response. Its message says what to check. */
export function failureOf(call: FailedCall): CallError {
  const { error, host } = call
  if (error instanceof BlockedAddressError) return callError('blocked_address', error.message)
  if (error instanceof CallTimeoutError) return callError('timeout', timeoutDetail(call))
  if (error instanceof ConnectTimeoutError)
    return callError(
      'timeout',
      `${host} accepted no connection within ${seconds(call.limits.connectTimeoutMs)}.`,
    )
  if (error instanceof BodyTooLargeError) return tooLarge(call.limits)
  if (error instanceof CallCancelledError) return callError('network_error', 'The call was cancelled.')
  const code = systemCode(error)
  if (isTlsCode(code) || isBrokenHandshake(error)) return callError('tls_error', tlsDetail(error, code, host))
  if (stopping.has(code))
    return callError('network_error', 'The call was cancelled because the service is stopping.')
  if (code === 'UND_ERR_SOCKET') return socketFailure(call)
  if (error instanceof SwitchedProtocolError)
    return callError(
      'network_error',
      `${host} switched to another protocol (101), which the call did not ask for.`,
    )
  if (error instanceof errors.HTTPParserError) return parserFailure(call, error)
  // undici also reports malformed heads with these codes, before the body.
  if (headCodes.has(code) && call.phase === 'waiting') return notHttp(call)
  const known = codes[code]
  return known === undefined ? unknownFailure(call, code) : callError(known, detailOf(known, call, code))
}

/**
 * Returns whether a reused connection was closed before any byte of an answer: probably it was closed already as the
 * request was written.
 */
export function isClosedUnanswered(outcome: Outcome): boolean {
  if (!('error' in outcome) || !outcome.reused || outcome.hasBegun) return false
  const code = systemCode(outcome.error)
  return code === 'UND_ERR_SOCKET' || codes[code] === 'connection_reset'
}

/** Returns the error for a body above the limit, as received or as decoded. */
export function tooLarge({ bodyBytes }: Pick<NamedLimits, 'bodyBytes'>): CallError {
  return callError(
    'response_too_large',
    `The response is larger than ${kibibytes(bodyBytes)}, so it was not read.`,
  )
}

function detailOf(known: CallErrorCode, call: FailedCall, code: string): string {
  switch (known) {
    case 'connection_refused':
      return `No program listens at ${call.host}.`
    case 'dns_failure':
      return `The host name ${call.host.replace(/:\d+$/, '')} cannot be resolved (${code}).`
    case 'timeout':
      return `${call.host} accepted no connection in time.`
    case 'response_too_large':
      return `The response has more than ${kibibytes(call.limits.headerBytes)} of header fields, so it was not read.`
    default:
      return resetDetail(call)
  }
}

function timeoutDetail({ phase, received, timeoutMs, host }: FailedCall): string {
  const how = {
    connecting: `no connection to ${host}`,
    waiting: `${host} had not started to respond`,
    reading: `only ${received} bytes of the body had arrived`,
  }[phase]
  return `The complete response did not arrive within ${seconds(timeoutMs)}: ${how}.`
}

function resetDetail({ phase, reused, received, host }: FailedCall): string {
  if (phase === 'reading')
    return `${host} closed the connection before the end of its response, after ${received} bytes of the body.`
  if (phase === 'connecting') return `${host} closed the connection while it was being established.`
  const stale = reused
    ? ' The connection was reused from an earlier call. The call is not repeated, because it may have taken effect.'
    : ''
  return `${host} closed the connection without a response.${stale}`
}

/** Handles undici's code for both a closed socket and an unexpected response. */
function socketFailure(call: FailedCall): CallError {
  const closed = call.error instanceof Error && /closed|destroyed/.test(call.error.message)
  return closed ? callError('connection_reset', resetDetail(call)) : notHttp(call)
}

function parserFailure(call: FailedCall, { message }: Error): CallError {
  return message.includes('EOF') ? callError('connection_reset', resetDetail(call)) : notHttp(call)
}

function unknownFailure({ host }: FailedCall, code: string): CallError {
  const reason = code === '' ? '' : ` (${code})`
  return callError('network_error', `The call to ${host} failed${reason}.`)
}

function notHttp({ host, opening, phase, received }: FailedCall): CallError {
  const detail =
    phase === 'reading'
      ? `The response from ${host} is not valid HTTP/1.1: a chunk is malformed, after ${received} bytes of the body.`
      : (malformation(opening, host) ?? `The response from ${host} is not valid HTTP/1.1.`)
  return callError('network_error', detail)
}

/** Returns the error's code. If several addresses failed, their shared code or the first one. */
function systemCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  return error instanceof AggregateError ? systemCode(error.errors[0]) : ''
}

function isBrokenHandshake(error: unknown): boolean {
  return error instanceof Error && error.message.includes('before secure TLS connection')
}

function seconds(ms: number): string {
  return `${ms / 1000} s`
}

function kibibytes(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`
}

const untrusted = 'its certificate comes from an authority that is not trusted here'

/** Node's codes for certificate errors, in words. */
const certificateProblems: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_UNTRUSTED: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  CERT_REVOKED: 'its certificate was revoked',
  INVALID_CA: 'an authority in its chain may not sign certificates',
  INVALID_PURPOSE: 'its certificate is not made for servers',
}

/** The codes that an untrusted authority or a self-signed certificate causes. */
const trustCodes = /SELF_SIGNED|VERIFY_LEAF|GET_ISSUER|CERT_UNTRUSTED/
const remedy =
  'If you trust it, set its authority’s PEM file in Settings › Limits, or in NODE_EXTRA_CA_CERTS before the service starts.'

function isTlsCode(code: string): boolean {
  return (
    code in certificateProblems ||
    /^(ERR_SSL_|ERR_TLS_|EPROTO$|CERT_|UNABLE_TO_|HOSTNAME_MISMATCH)/.test(code)
  )
}

/** Says why no secure connection was possible. */
function tlsDetail(error: unknown, code: string, host: string): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of ${host} is only valid for ${names(error)}.`
  if (
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/.test(code) ||
    (error instanceof Error && error.message.includes('wrong version number'))
  )
    return `${host} does not use TLS. Should the base URL start with http: instead of https:?`
  const problem = certificateProblems[code]
  if (problem !== undefined)
    return `No secure connection to ${host} is possible: ${problem} (${code}).${trustCodes.test(code) ? ` ${remedy}` : ''}`
  return `No secure connection to ${host} is possible${code === '' ? '' : ` (${code})`}.`
}

const CertificateError = z.object({
  cert: z.object({
    subjectaltname: z.string().optional(),
    subject: z.object({ CN: z.string().optional().catch(undefined) }).optional(),
  }),
})

function names(error: unknown): string {
  const { cert } = CertificateError.safeParse(error).data ?? {}
  const alternatives = cert?.subjectaltname?.replaceAll('DNS:', '').replaceAll('IP Address:', '')
  return alternatives ?? cert?.subject?.CN ?? 'other names'
}
