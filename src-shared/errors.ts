import { callErrors } from './errors/call.ts'
import { inboundErrors } from './errors/inbound.ts'
import type { Issue } from './model/issue.ts'

/**
 * Every error that a user can meet: its stable code, the HTTP status it travels with, and one English
 * sentence. The tables for senders and for calls are in `errors/`. `docs/errors.md` describes each code; a
 * test keeps the two equal.
 */
type ErrorDefinition = {
  /** HTTP status where the error is answered over HTTP; for the command line it only groups. */
  readonly status: number
  /** One sentence, for the person reading it. Never holds a secret or an expected signature. */
  readonly message: string
}

/** Refusals of the REST interface, the dashboard's own calls, and the command line. */
export const serviceErrors = {
  invalid_input: { status: 400, message: 'Some fields are not valid.' },
  unsupported_media_type: {
    status: 415,
    message: 'Send the body as JSON, with the header Content-Type: application/json.',
  },
  unauthorized: { status: 401, message: 'The admin token is missing or wrong.' },
  too_many_attempts: {
    status: 429,
    message:
      'Too many wrong admin tokens came from this address. Send the right one: it is accepted at any time.',
  },
  forbidden_host: {
    status: 403,
    message: 'The service does not answer to this host name; see --allowed-host.',
  },
  forbidden_origin: { status: 403, message: 'Requests from pages of another origin are refused.' },
  missing_csrf_header: {
    status: 403,
    message: 'The header x-csrf-token is missing, which the dashboard’s own page sends.',
  },
  link_expired: {
    status: 410,
    message:
      'This download link was used already, or has expired. Start the download again in the dashboard.',
  },
  workspace_not_found: { status: 404, message: 'There is no such workspace.' },
  connection_not_found: { status: 404, message: 'There is no such connection.' },
  event_type_not_found: { status: 404, message: 'There is no such event type in this connection.' },
  action_not_found: { status: 404, message: 'There is no such action in this connection.' },
  environment_variable_not_found: {
    status: 404,
    message: 'No variable of this name is kept in the settings.',
  },
  call_not_found: { status: 404, message: 'There is no such call, or it is no longer kept.' },
  event_not_found: { status: 404, message: 'There is no such stored event in this connection.' },
  damaged_event: {
    status: 500,
    message: 'This event is damaged on the disk and cannot be read. A backup may have it.',
  },
  no_such_path: { status: 404, message: 'There is nothing at this path.' },
  workspace_not_empty: {
    status: 409,
    message: 'The workspace still has connections; delete them first.',
  },
  default_workspace: { status: 409, message: 'The default workspace cannot be deleted.' },
  duplicate_event_name: { status: 409, message: 'The connection already has an event type of this name.' },
  duplicate_tool_name: { status: 409, message: 'The connection already has an action of this tool name.' },
  too_many_old_secrets: {
    status: 409,
    message:
      'Three earlier secrets are still accepted. Wait until a grace period ends, or rotate without one, which ends them all.',
  },
  invalid_document: { status: 400, message: 'The document cannot be imported; nothing was written.' },
  import_too_complex: {
    status: 400,
    message: 'The document needs more memory to read than an import may use. Split it.',
  },
  import_timed_out: {
    status: 503,
    message:
      'Reading the document took too long, so it was stopped; nothing was written. Split it, or try again.',
  },
  imports_busy: { status: 503, message: 'Other imports are being read; try again in a moment.' },
  storage_unavailable: { status: 503, message: 'The data folder cannot be written to at the moment.' },
  listener_unreachable: { status: 502, message: 'The inbound listener did not answer.' },
  internal_error: { status: 500, message: 'Something went wrong inside the service; its log says what.' },
  data_folder_in_use: { status: 409, message: 'Another process already uses this data folder.' },
  damaged_configuration: {
    status: 500,
    message: 'The configuration file is damaged and there is no good copy to start from.',
  },
  newer_configuration: {
    status: 500,
    message: 'The configuration was written by a newer version of this program.',
  },
  wrong_key: {
    status: 500,
    message: 'The key of the data folder does not fit its configuration; secrets cannot be decrypted.',
  },
  address_unavailable: {
    status: 409,
    message: 'This computer cannot listen at this address.',
  },
  listener_fixed: {
    status: 409,
    message: 'The address of the listener was given on the command line; change it there.',
  },
  weak_admin_token: {
    status: 400,
    message: 'The admin token is too short; it needs at least 16 characters.',
  },
  key_in_keychain: {
    status: 500,
    message: 'The key of the data folder is protected by a keychain that cannot be used here.',
  },
  port_in_use: { status: 409, message: 'Another program already listens on this port.' },
  invalid_certificate: { status: 400, message: 'The TLS certificate or key cannot be used.' },
  service_unreachable: {
    status: 503,
    message: 'The service does not answer. It may have been stopped; what you see may be out of date.',
  },
  service_not_running: { status: 503, message: 'No service is running on this data folder.' },
  ambiguous_connection: { status: 409, message: 'More than one connection has this name; use its id.' },
  file_exists: { status: 409, message: 'There is a file at this path already.' },
  data_folder_not_empty: { status: 409, message: 'The data folder is not empty.' },
  damaged_backup: { status: 400, message: 'The file is no backup, or it is damaged.' },
  newer_backup: { status: 400, message: 'The backup was made by a newer version of this program.' },
} as const satisfies Record<string, ErrorDefinition>

export const errorCatalogue = { ...inboundErrors, ...serviceErrors, ...callErrors } as const

export type ErrorCode = keyof typeof errorCatalogue

/**
 * Returns the status of an error that the service's own interface answers. It is the catalogue's but for a disabled
 * connection: senders get 403, whereas to the owner it is a state in the way of the call, 409.
 */
export function serviceStatus(code: ErrorCode): number {
  return code === 'connection_disabled' ? 409 : errorCatalogue[code].status
}

/** An error with a code of the catalogue, thrown by what decides and answered by whatever way in was used. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly data: ErrorData | undefined

  /** @param detail replaces the catalogue's sentence where more can be said. */
  constructor(code: ErrorCode, options: { detail?: string; data?: ErrorData; cause?: unknown } = {}) {
    super(options.detail ?? errorCatalogue[code].message, { cause: options.cause })
    this.name = 'ServiceError'
    this.code = code
    this.status = serviceStatus(code)
    this.data = options.data
  }
}

export type ErrorData = { issues: Issue[] }
