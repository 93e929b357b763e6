import { errors } from 'undici'
import { type CallErrorCode, callErrors } from '#shared/errors/call.ts'
import type { CallError } from '#shared/model/call.ts'
import { BlockedAddressError } from './address-guard.ts'
import { ConnectTimeoutError } from './connector.ts'
import { BodyTooLargeError, CallCancelledError, CallTimeoutError, type Phase } from './exchange.ts'
import type { SendLimits } from './send.ts'

/** An error of a call. @param detail replaces the catalogue's sentence where more can be said. */
export function callError(
  code: CallErrorCode,
  detail?: string,
  data?: unknown,
): CallError & { code: CallErrorCode } {
  const message = detail ?? callErrors[code].message
  return data === undefined ? { code, message } : { code, message, data }
}

/** Where a call was when it failed. */
type FailedCall = {
  readonly error: unknown
  /** Host and port. */
  readonly host: string
  readonly phase: Phase
  readonly reused: boolean
  /** Bytes of the body that had come. */
  readonly received: number
  readonly timeoutMs: number
  readonly limits: SendLimits
}

/** Codes of the system and of undici, by what they mean here. */
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

const stopping = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED', 'connector_closed'])

/** The error of a call that got no whole answer, in a sentence that says what to look at. */
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
    return callError('network_error', 'The call was ended, since the service is stopping.')
  if (code === 'UND_ERR_SOCKET') return socketFailure(call)
  if (error instanceof errors.HTTPParserError) return parserFailure(call, error)
  // Two lengths that contradict each other come as this as well, before there is a body.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && call.phase === 'waiting') return notHttp(call)
  const known = codes[code]
  return known === undefined ? unknownFailure(call, code) : callError(known, detailOf(known, call, code))
}

/** The body is longer than is read, as received or as decoded. */
export function tooLarge({ bodyBytes }: SendLimits): CallError {
  return callError('response_too_large', `The answer has more than ${kibibytes(bodyBytes)} and was not read.`)
}

function detailOf(known: CallErrorCode, call: FailedCall, code: string): string {
  switch (known) {
    case 'connection_refused':
      return `Nothing accepts connections at ${call.host}.`
    case 'dns_failure':
      return `The host name ${call.host.replace(/:\d+$/, '')} cannot be resolved (${code}).`
    case 'timeout':
      return `${call.host} accepted no connection in time.`
    case 'response_too_large':
      return `The answer has more than ${kibibytes(call.limits.headerBytes)} of header fields and was not read.`
    default:
      return resetDetail(call)
  }
}

function timeoutDetail({ phase, received, timeoutMs, host }: FailedCall): string {
  const how = {
    connecting: `there was no connection to ${host}`,
    waiting: `${host} had not begun to answer`,
    reading: `only ${received} bytes of the answer had come`,
  }[phase]
  return `There was no whole answer within ${seconds(timeoutMs)}: ${how}.`
}

function resetDetail({ phase, reused, received, host }: FailedCall): string {
  if (phase === 'reading')
    return `${host} closed the connection before its answer was whole; ${received} bytes of its body had come.`
  if (phase === 'connecting') return `${host} closed the connection while it was made.`
  const stale = reused
    ? ' The connection had been kept from an earlier call; the call is not repeated, since it may have been carried out.'
    : ''
  return `${host} closed the connection without an answer.${stale}`
}

/** undici's own name for a socket that ended, or whose answer is not what was asked for. */
function socketFailure(call: FailedCall): CallError {
  const closed = call.error instanceof Error && /closed|destroyed/.test(call.error.message)
  return closed ? callError('connection_reset', resetDetail(call)) : notHttp(call)
}

function parserFailure(call: FailedCall, { message }: Error): CallError {
  return message.includes('EOF') ? callError('connection_reset', resetDetail(call)) : notHttp(call)
}

function unknownFailure({ host }: FailedCall, code: string): CallError {
  const reason = code === '' ? '' : ` (${code})`
  return callError('network_error', `The call to ${host} failed on the way${reason}.`)
}

function notHttp({ host }: FailedCall): CallError {
  return callError(
    'network_error',
    `What ${host} answered is not HTTP/1.1; is the base URL meant to begin with https: instead of http:?`,
  )
}

/** Of a connection that was tried at several addresses, the code that they share or the first one. */
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

/** Names that Node gives to what OpenSSL finds wrong with a certificate, in words. */
const certificateProblems: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an authority that is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate comes from an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate comes from an authority that is not trusted here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate comes from an authority that is not trusted here',
  CERT_UNTRUSTED: 'its certificate comes from an authority that is not trusted here',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  CERT_REVOKED: 'its certificate was revoked',
  INVALID_CA: 'an authority in its chain may not sign certificates',
  INVALID_PURPOSE: 'its certificate is not made for servers',
}

/** What a certificate authority of one's own brings about. */
const untrusted = /SELF_SIGNED|VERIFY_LEAF|GET_ISSUER|CERT_UNTRUSTED/
const remedy =
  'If you trust it, name its authority’s PEM file in Settings › Limits, or in NODE_EXTRA_CA_CERTS when the service starts.'

function isTlsCode(code: string): boolean {
  return (
    code in certificateProblems ||
    /^(ERR_SSL_|ERR_TLS_|EPROTO$|CERT_|UNABLE_TO_|HOSTNAME_MISMATCH)/.test(code)
  )
}

/** Why no secure connection came about, with the names of the certificate where they are the reason. */
function tlsDetail(error: unknown, code: string, host: string): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of ${host} is made out for ${names(error)}.`
  if (
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/.test(code) ||
    /wrong version number/.test(text(error))
  )
    return `${host} does not speak TLS; is the base URL meant to begin with http: instead of https:?`
  const problem = certificateProblems[code]
  if (problem !== undefined)
    return `There is no secure connection to ${host}: ${problem} (${code}).${untrusted.test(code) ? ` ${remedy}` : ''}`
  return `There is no secure connection to ${host}${code === '' ? '' : ` (${code})`}.`
}

function names(error: unknown): string {
  const none = 'other names'
  if (typeof error !== 'object' || error === null || !('cert' in error)) return none
  const { cert } = error
  if (typeof cert !== 'object' || cert === null) return none
  if ('subjectaltname' in cert && typeof cert.subjectaltname === 'string')
    return cert.subjectaltname.replaceAll('DNS:', '').replaceAll('IP Address:', '')
  if (!('subject' in cert) || typeof cert.subject !== 'object' || cert.subject === null) return none
  return 'CN' in cert.subject && typeof cert.subject.CN === 'string' ? cert.subject.CN : none
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : ''
}
