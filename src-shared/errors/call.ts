/**
 * Why a call of an action gave no usable answer (decisions: Actions and outbound). They stand in the outcome
 * of the call; the status is for whoever has to answer over HTTP because of one.
 */
export const callErrors = {
  no_base_url: { status: 409, message: 'The connection has no base URL, so its actions cannot be called.' },
  invalid_arguments: {
    status: 400,
    message: 'The arguments do not fit the parameters; no request was made.',
  },
  missing_environment_variable: {
    status: 409,
    message: 'A header needs an environment variable that is not set; no request was made.',
  },
  invalid_header_value: {
    status: 409,
    message: 'A header value holds a character that no header may hold; no request was made.',
  },
  blocked_address: {
    status: 403,
    message: 'The address is link-local or a cloud metadata address; such addresses are never called.',
  },
  timeout: { status: 504, message: 'There was no whole answer in time.' },
  connection_refused: { status: 502, message: 'Nothing accepts connections at this address.' },
  dns_failure: { status: 502, message: 'The host name cannot be resolved.' },
  tls_error: {
    status: 502,
    message: 'No secure connection came about; the certificate or protocol does not fit.',
  },
  connection_reset: {
    status: 502,
    message: 'The other side closed the connection before its answer was whole.',
  },
  response_too_large: { status: 502, message: 'The answer is larger than is read.' },
  network_error: { status: 502, message: 'The call failed on the way.' },
} as const satisfies Record<string, { status: number; message: string }>

export type CallErrorCode = keyof typeof callErrors

/** Codes of calls of which nothing left the service: they are told of, and not counted as calls. */
export const neverSent: ReadonlySet<string> = new Set<CallErrorCode>([
  'no_base_url',
  'invalid_arguments',
  'missing_environment_variable',
  'invalid_header_value',
  'blocked_address',
])
