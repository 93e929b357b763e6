/**
 * The checks of E1, in their order (decisions: Inbound, order). `request` is what comes before a token is looked
 * at; `trigger` refuses nothing.
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
  /** The check that refuses with it. */
  readonly step: InboundStep
  /** A few words for lists and headings, without a full stop. */
  readonly title: string
  /** One sentence, for whoever sends the event. Never holds a secret or an expected signature. */
  readonly message: string
  /** What to do about it, for the owner of the connection. */
  readonly remedy: string
}

/** Refusals of E1, the inbound endpoint (specification: Errors; decisions: Inbound). */
export const inboundErrors = {
  not_found: {
    status: 404,
    step: 'request',
    title: 'Not an inbound URL',
    message: 'There is nothing at this path; events go to /api/connect/<token>/events.',
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
    remedy: 'Look at what a proxy or a client library adds.',
  },
  expectation_failed: {
    status: 417,
    step: 'request',
    title: 'Unsupported Expect header',
    message: 'The only expectation accepted is 100-continue.',
    remedy: 'Leave the Expect header out.',
  },
  malformed_request: {
    status: 400,
    step: 'request',
    title: 'Malformed request',
    message: 'This is not a well-formed HTTP/1.1 request.',
    remedy: 'Use an HTTP library, and look at what a proxy rewrites.',
  },
  request_timeout: {
    status: 408,
    step: 'request',
    title: 'Request timed out',
    message: 'The request did not arrive whole in time.',
    remedy: 'Send it again. If it happens often, look at the network.',
  },
  unknown_token: {
    status: 404,
    step: 'token',
    title: 'Unknown token',
    message: 'No connection has this inbound token.',
    remedy: 'Copy the inbound URL again: its token is cut short, or was regenerated.',
  },
  connection_disabled: {
    status: 403,
    step: 'enabled',
    title: 'Connection was disabled',
    message: 'This connection is disabled.',
    remedy: 'Switch Connection enabled on, above, to accept events again.',
  },
  unsupported_encoding: {
    status: 415,
    step: 'size',
    title: 'Body was compressed',
    message: 'The body must be sent without Content-Encoding; the signature covers the bytes as sent.',
    remedy: 'Send the body as it is, without compressing it.',
  },
  body_too_large: {
    status: 413,
    step: 'size',
    title: 'Body too large',
    message: 'The body is larger than this service accepts.',
    remedy: 'Send less in one event, or raise the limit in Settings › Limits.',
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
    title: 'Timestamp is not a number of milliseconds',
    message: 'The header x-service-timestamp must hold milliseconds since 1970 as decimal digits, once.',
    remedy: 'Send the time as digits alone, such as 1795253400000.',
  },
  stale_timestamp: {
    status: 401,
    step: 'timestamp',
    title: 'Timestamp too old or ahead',
    message: 'The timestamp differs from the time of this service by more than 5 minutes.',
    remedy:
      'Make the timestamp when the request is sent, again for each retry, and set the sender’s clock by NTP.',
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
    remedy: 'Sign the timestamp, a dot and the very bytes that are sent, with the whole secret as key.',
  },
  invalid_json: {
    status: 400,
    step: 'body',
    title: 'Body is not JSON',
    message: 'The body is not valid JSON.',
    remedy: 'The signature was right, so these are the bytes that were sent: send JSON.',
  },
  missing_event: {
    status: 400,
    step: 'body',
    title: 'Body has no event',
    message: 'The body must be a JSON object with the field "event".',
    remedy: 'Send the name of the event in the field event, beside data.',
  },
  invalid_event: {
    status: 400,
    step: 'body',
    title: 'Event is not a valid name',
    message: 'The field "event" must be a non-empty string of at most 255 characters.',
    remedy: 'Send the name of the event as a text of 1 to 255 characters.',
  },
  invalid_data: {
    status: 400,
    step: 'body',
    title: 'Data is not an object',
    message: 'The field "data" must be a JSON object.',
    remedy: 'Send data as an object of fields, or leave it out.',
  },
  unavailable: {
    status: 503,
    step: 'stored',
    title: 'Event could not be stored',
    message: 'The event could not be stored; send it again later.',
    remedy: 'The sender may send it again. Look at Settings › Data folder: the disk may be full.',
  },
} as const satisfies Record<string, InboundError>

type Table = typeof inboundErrors
export type InboundErrorCode = keyof Table
/** The codes that one of the checks refuses with. */
export type InboundErrorCodeOf<Step extends InboundStep> = {
  [Code in InboundErrorCode]: Table[Code]['step'] extends Step ? Code : never
}[InboundErrorCode]

/** Returns what is known of a code; undefined for one of another version of the service. */
export function inboundErrorOf(code: string): InboundError | undefined {
  return Object.entries(inboundErrors).find(([known]) => known === code)?.[1]
}
