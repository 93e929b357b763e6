/**
 * Why a call of an action has no usable response. The code is in the outcome of the call. The status is for code that
 * reports the error over HTTP.
 */
export const callErrors = {
  no_base_url: { status: 409, message: 'The connection has no base URL, so its actions cannot be called.' },
  invalid_arguments: {
    status: 400,
    message: 'The arguments do not match the parameters. No request was sent.',
  },
  missing_environment_variable: {
    status: 409,
    message: 'A header needs an environment variable that is not set. No request was sent.',
  },
  invalid_header_value: {
    status: 409,
    message: 'A header value contains a character that is not allowed in headers. No request was sent.',
  },
  blocked_address: {
    status: 403,
    message: 'The address is link-local or a cloud metadata address. The service never calls such addresses.',
  },
  timeout: { status: 504, message: 'The complete response did not arrive in time.' },
  connection_refused: { status: 502, message: 'No program listens at this address.' },
  dns_failure: { status: 502, message: 'The host name cannot be resolved.' },
  tls_error: {
    status: 502,
    message:
      'No secure connection was possible. The certificate is not trusted, or the server does not use TLS.',
  },
  connection_reset: {
    status: 502,
    message: 'The server closed the connection before the end of its response.',
  },
  response_too_large: { status: 502, message: 'The response is larger than 5 MiB, so it was not read.' },
  network_error: { status: 502, message: 'A network error occurred.' },
} as const satisfies Record<string, { status: number; message: string }>

export type CallErrorCode = keyof typeof callErrors

/** Codes of calls that sent nothing. Such calls are reported, but not counted. */
export const neverSent: ReadonlySet<string> = new Set<CallErrorCode>([
  'no_base_url',
  'invalid_arguments',
  'missing_environment_variable',
  'invalid_header_value',
  'blocked_address',
])
