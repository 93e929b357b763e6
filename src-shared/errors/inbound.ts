/**
 * The checks of the inbound endpoint, in their order. `request` covers everything before the token. `trigger` never
 * refuses anything.
 */
export const inboundSteps = [
  'request',
  'token',
  'enabled',
  'size',
  'timestamp',
  'signature',
  'body',
  'stored',
  'trigger',
] as const
export type InboundStep = (typeof inboundSteps)[number]

type InboundError = {
  readonly status: number
  /** The check that causes it. */
  readonly step: InboundStep
  /** A few words for lists and headings, without a full stop. */
  readonly title: string
  /** One sentence for the sender. Never contains a secret or an expected signature. */
  readonly message: string
  /** The remedy for the sender. */
  readonly remedy: string
  /** An additional remedy for the owner of the connection. */
  readonly ownerRemedy?: string
}

/** The errors of the inbound endpoint. */
export const inboundErrors = {
  not_found: {
    status: 404,
    step: 'request',
    title: 'Not an inbound URL',
    message: 'This path is not an inbound URL. Events go to /api/connect/<token>/events.',
    remedy: 'Copy the whole inbound URL from the connection.',
  },
  method_not_allowed: {
    status: 405,
    step: 'request',
    title: 'Not a POST',
    message: 'Only POST is accepted here.',
    remedy: 'Send a POST to the final URL: a redirect can turn a POST into a GET.',
  },
  headers_too_large: {
    status: 431,
    step: 'request',
    title: 'Headers too large',
    message: 'The request has too many or too large header fields.',
    remedy: 'Check which headers a proxy or a client library adds.',
  },
  expectation_failed: {
    status: 417,
    step: 'request',
    title: 'Unsupported Expect header',
    message: 'The only supported expectation is 100-continue.',
    remedy: 'Remove the Expect header.',
  },
  malformed_request: {
    status: 400,
    step: 'request',
    title: 'Malformed request',
    message: 'This is not a well-formed HTTP/1.1 request.',
    remedy: 'Use an HTTP library. Check what a proxy rewrites.',
  },
  request_timeout: {
    status: 408,
    step: 'request',
    title: 'Request timed out',
    message: 'The request did not arrive completely in time.',
    remedy: 'Send the event again. If it keeps happening, check the network.',
  },
  unknown_token: {
    status: 404,
    step: 'token',
    title: 'Unknown token',
    message: 'No connection has this inbound token.',
    remedy: 'Copy the inbound URL again: its token was cut short or regenerated.',
  },
  connection_disabled: {
    status: 403,
    step: 'enabled',
    title: 'Connection was disabled',
    message: 'This connection is disabled.',
    remedy: 'Stop sending until the connection is enabled.',
    ownerRemedy: 'To accept its events again, enable the connection.',
  },
  unsupported_encoding: {
    status: 415,
    step: 'size',
    title: 'Body was compressed',
    message: 'Send the body without Content-Encoding: the signature covers the bytes as sent.',
    remedy: 'Send the body uncompressed, exactly as it was signed.',
  },
  body_too_large: {
    status: 413,
    step: 'size',
    title: 'Body too large',
    message: 'The body is larger than this service accepts.',
    remedy: 'Send a smaller body.',
    ownerRemedy: 'Or raise the limit in Settings › Limits.',
  },
  missing_timestamp: {
    status: 401,
    step: 'timestamp',
    title: 'No timestamp',
    message: 'The header x-service-timestamp is missing.',
    remedy: 'Send the time in milliseconds since 1970 in x-service-timestamp with every request.',
  },
  invalid_timestamp: {
    status: 401,
    step: 'timestamp',
    title: 'Timestamp cannot be read',
    message: 'The header x-service-timestamp must be milliseconds since 1970 in decimal digits, sent once.',
    remedy: 'Send milliseconds since 1970 as digits only, for example 1795253400000.',
  },
  stale_timestamp: {
    status: 401,
    step: 'timestamp',
    title: 'Timestamp too old or ahead',
    message: 'The timestamp differs from the time of this service by more than 5 minutes.',
    remedy: 'Create a new timestamp for each request and retry. Synchronize the sender’s clock with NTP.',
  },
  token_expired: {
    status: 401,
    step: 'timestamp',
    title: 'Token has expired',
    message: 'The token of the request has expired.',
    remedy: 'Create a new token for each request. Synchronize the sender’s clock with NTP.',
  },
  missing_signature: {
    status: 401,
    step: 'signature',
    title: 'No signature',
    message: 'The header x-service-signature is missing.',
    remedy: 'Send sha256= and the HMAC of timestamp.body in x-service-signature with every request.',
  },
  invalid_signature: {
    status: 401,
    step: 'signature',
    title: 'Signature does not match',
    message: 'The signature does not match the timestamp and body received.',
    remedy: 'Sign the timestamp, a dot and the exact bytes that you send, with the whole secret as key.',
  },
  unknown_key: {
    status: 401,
    step: 'signature',
    title: 'Key is unknown',
    message: 'The request is signed with a key that is not among the public keys of the sender.',
    remedy: 'Sign with a key that is published at the address of the sender’s public keys.',
    ownerRemedy: 'Check the address of the public keys. They are fetched at most once a minute.',
  },
  keys_unavailable: {
    status: 503,
    step: 'signature',
    title: 'Public keys could not be fetched',
    message: 'The public keys of the sender cannot be fetched at present. Send the request again later.',
    remedy: 'Wait as long as Retry-After says.',
    ownerRemedy: 'Check the address of the public keys, and whether this service can reach it.',
  },
  invalid_json: {
    status: 400,
    step: 'body',
    title: 'Body cannot be read',
    message: 'The body is not valid JSON.',
    remedy: 'The signature is valid, so these are the bytes that the sender signed. Send JSON instead.',
    ownerRemedy: 'Or choose the format of the body in the scheme of the sender.',
  },
  too_many_fields: {
    status: 400,
    step: 'body',
    title: 'Form has too many fields',
    message: 'A body of form fields may have at most 1,000 of them.',
    remedy: 'Send fewer fields, or send JSON.',
  },
  too_many_events: {
    status: 400,
    step: 'body',
    title: 'List has too many events',
    message: 'A request may have at most 1,000 events.',
    remedy: 'Send the events in several requests.',
  },
  missing_event: {
    status: 400,
    step: 'body',
    title: 'Body has no event',
    message: 'The body must be a JSON object with the field "event".',
    remedy: 'Send the name of the event in the field "event".',
  },
  invalid_event: {
    status: 400,
    step: 'body',
    title: 'Event is not a valid name',
    message: 'The field "event" must be a non-empty string of at most 255 characters.',
    remedy: 'Send the name of the event as a string of 1 to 255 characters.',
  },
  invalid_data: {
    status: 400,
    step: 'body',
    title: 'Data is not an object',
    message: 'The field "data" must be a JSON object.',
    remedy: 'Send "data" as an object, or omit it.',
  },
  unavailable: {
    status: 503,
    step: 'stored',
    title: 'Event could not be stored',
    message: 'The event could not be stored. Send it again later.',
    remedy: 'Wait as long as Retry-After says.',
    ownerRemedy: 'The disk may be full: check Settings › Data folder.',
  },
} as const satisfies Record<string, InboundError>

type Table = typeof inboundErrors
export type InboundErrorCode = keyof Table
/** The codes of one check. */
export type InboundErrorCodeOf<Step extends InboundStep> = {
  [Code in InboundErrorCode]: Table[Code]['step'] extends Step ? Code : never
}[InboundErrorCode]

/** Returns the entry of a code; undefined for an unknown one, for example from another version of the service. */
export function inboundErrorOf(code: string): InboundError | undefined {
  return Object.entries(inboundErrors).find(([known]) => known === code)?.[1]
}

/** Returns whether a code says that the timestamp or the signature of a request was refused. */
export function isAboutSignature(code: string | null): boolean {
  const step = code === null ? undefined : inboundErrorOf(code)?.step
  return step === 'timestamp' || step === 'signature'
}
