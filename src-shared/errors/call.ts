/** Why a call has no usable response. The code is in the outcome of the call. */
export const callErrors = {
  invalid_arguments: 'The arguments do not match the parameters. No request was sent.',
  blocked_address:
    'The address is link-local or a cloud metadata address. The service never calls such addresses.',
  no_base_url: 'The connection has no base URL, so its actions cannot be called.',
  missing_environment_variable:
    'A header needs an environment variable that is not set. No request was sent.',
  invalid_header_value:
    'A header value contains a character that is not allowed in headers. No request was sent.',
  token_unavailable: 'The access token that the call needs could not be got. No request was sent.',
  rate_limited:
    'The connection takes no calls now: its rate limit is used up, or its server asked to wait. No request was sent.',
  connection_refused: 'No program listens at this address.',
  dns_failure: 'The host name cannot be resolved.',
  tls_error:
    'No secure connection was possible. The certificate is not trusted, or the server does not use TLS.',
  connection_reset: 'The server closed the connection before the end of its response.',
  response_too_large: 'The response is larger than 5 MiB, so it was not read.',
  network_error: 'A network error occurred.',
  timeout: 'The complete response did not arrive in time.',
}

export type CallErrorCode = keyof typeof callErrors

/** Codes of calls that sent nothing. Such calls are reported, but not counted. */
export const neverSent: ReadonlySet<string> = new Set<CallErrorCode>([
  'no_base_url',
  'invalid_arguments',
  'missing_environment_variable',
  'invalid_header_value',
  'blocked_address',
  'token_unavailable',
  'rate_limited',
])
