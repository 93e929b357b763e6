import { refusalErrors } from './errors/assistant.ts'
import { callErrors } from './errors/call.ts'
import { inboundErrors } from './errors/inbound.ts'
import type { Issue } from './model/issue.ts'

/**
 * Every error that users can see: its stable code, its HTTP status, and one English sentence. The tables for senders and
 * for calls are in `errors/`. `docs/errors.md` describes each code, which a test enforces.
 */
type ErrorDefinition = {
  /** The HTTP status. It has no meaning for errors that occur only on the command line. */
  readonly status: number
  /** One sentence for people. Never contains a secret or an expected signature. */
  readonly message: string
}

/** The errors of REST, the dashboard and the command line. */
export const serviceErrors = {
  invalid_input: { status: 400, message: 'Some fields are not valid.' },
  unsupported_media_type: {
    status: 415,
    message: 'Send the body as JSON, with the header Content-Type: application/json.',
  },
  unauthorized: { status: 401, message: 'The admin token is missing or wrong.' },
  too_many_attempts: {
    status: 429,
    message: 'Too many wrong admin tokens came from this address. The right token is still accepted.',
  },
  forbidden_host: {
    status: 403,
    message: 'The service does not answer to this host name. See --allowed-host.',
  },
  forbidden_origin: { status: 403, message: 'Requests from pages of another origin are refused.' },
  missing_csrf_header: {
    status: 403,
    message: 'The header x-csrf-token is missing. Only the dashboard’s own page sends it.',
  },
  link_expired: {
    status: 410,
    message:
      'This download link was already used, or has expired. Start the download again in the dashboard.',
  },
  workspace_not_found: { status: 404, message: 'There is no such workspace.' },
  connection_not_found: { status: 404, message: 'There is no such connection.' },
  event_type_not_found: { status: 404, message: 'There is no such event type in this connection.' },
  action_not_found: { status: 404, message: 'There is no such action in this connection.' },
  too_many_agents: {
    status: 409,
    message:
      'The workspaces have too many agents, or too much text in them. Delete agents that are not in use.',
  },
  knowledge_file_not_found: { status: 404, message: 'There is no such file.' },
  upload_not_found: {
    status: 404,
    message: 'There is no such upload. It was finished or discarded, or the service has restarted.',
  },
  unsupported_file: { status: 415, message: 'Only PDF, DOCX, TXT and CSV files can be read.' },
  empty_file: { status: 400, message: 'The file is empty.' },
  damaged_file: { status: 400, message: 'The file is damaged. Save it again, then add the new file.' },
  encrypted_file: {
    status: 400,
    message: 'The file is protected by a password. Save it without one, then add the new file.',
  },
  file_too_large: {
    status: 413,
    message: 'A file may have at most 50 MiB. Split it, or save it without its pictures.',
  },
  file_too_complex: {
    status: 400,
    message: 'Reading the file takes too much time or memory, so it was stopped. Split the file.',
  },
  knowledge_full: {
    status: 409,
    message: 'An agent can have at most 1,000 files and 2 GiB in total. Delete files that are not in use.',
  },
  knowledge_busy: { status: 503, message: 'Other files are being read. Try again in a moment.' },
  environment_variable_not_found: {
    status: 404,
    message: 'The settings have no variable with this name.',
  },
  webhook_not_set: { status: 409, message: 'The workspace has no webhook yet. Set its URL first.' },
  workflow_not_found: { status: 404, message: 'There is no such workflow.' },
  workflow_changed: {
    status: 409,
    message: 'Somebody else changed the workflow after you read it. Read it again and repeat your change.',
  },
  run_not_found: { status: 404, message: 'There is no such run, or it is no longer kept.' },
  run_not_retriable: {
    status: 409,
    message: 'Only failed, cancelled or waiting runs can be retried, and only while their payload is kept.',
  },
  run_interrupted: {
    status: 503,
    message: 'The service stopped before the run had ended. The run continues at the next start.',
  },
  run_ended: { status: 409, message: 'The run has already ended.' },
  damaged_run: {
    status: 500,
    message: 'This run is damaged on the disk and cannot be read. A backup may have it.',
  },
  call_not_found: { status: 404, message: 'There is no such call, or it was deleted because of its age.' },
  client_token_not_found: { status: 404, message: 'There is no such client token.' },
  too_many_mcp_requests: {
    status: 503,
    message: 'Too many requests of MCP clients are in progress. Wait until some have ended.',
  },
  too_many_client_tokens: { status: 409, message: 'There are 1,000 client tokens. Revoke those not in use.' },
  approval_not_found: {
    status: 404,
    message: 'No call waits for this approval. It was decided, or the client gave up.',
  },
  conversation_not_found: { status: 404, message: 'There is no such conversation, or it is no longer kept.' },
  conversation_busy: {
    status: 409,
    message: 'An answer is being generated. Stop it first, or wait until it has ended.',
  },
  not_last_message: {
    status: 409,
    message: 'Only the last message of the user can be replaced.',
  },
  nothing_to_retry: { status: 409, message: 'The conversation has no message to answer yet.' },
  call_not_waiting: {
    status: 409,
    message: 'This call does not wait for a decision. It was decided, or its answer has ended.',
  },
  form_not_open: {
    status: 409,
    message: 'This form is not offered any more. It was sent or dismissed, or its message was replaced.',
  },
  form_changed: {
    status: 409,
    message: 'The form was changed or removed since it was offered. Write the message again.',
  },
  always_not_allowed: {
    status: 409,
    message: 'A DELETE must be confirmed each time. Send “once” instead of “always”.',
  },
  no_model: {
    status: 409,
    message: 'No model is chosen. Choose one in the conversation or in the settings.',
  },
  event_not_found: { status: 404, message: 'There is no such stored event in this connection.' },
  damaged_event: {
    status: 500,
    message: 'This event is damaged on the disk and cannot be read. A backup may have it.',
  },
  no_such_path: { status: 404, message: 'No route has this path.' },
  workspace_not_empty: {
    status: 409,
    message: 'The workspace still has connections. Delete them first.',
  },
  default_workspace: { status: 409, message: 'The default workspace cannot be deleted.' },
  duplicate_event_name: { status: 409, message: 'The connection already has an event type with this name.' },
  duplicate_tool_name: { status: 409, message: 'The connection already has an action with this tool name.' },
  too_many_old_secrets: {
    status: 409,
    message:
      'Three earlier secrets are still valid. Wait until one expires, or rotate without a grace period to end all of them.',
  },
  invalid_document: { status: 400, message: 'The document cannot be imported. Nothing was changed.' },
  import_too_complex: {
    status: 400,
    message: 'Reading the document needs more memory than an import may use. Split the document.',
  },
  import_timed_out: {
    status: 503,
    message:
      'Reading the document took too long, so the import was stopped. Nothing was changed. Split the document, or try again.',
  },
  imports_busy: { status: 503, message: 'Other imports are running. Try again in a moment.' },
  storage_unavailable: { status: 503, message: 'The data folder cannot be written to at the moment.' },
  listener_unreachable: { status: 502, message: 'The inbound listener did not answer.' },
  internal_error: {
    status: 500,
    message: 'An unexpected error occurred. The service’s log has the details.',
  },
  data_folder_in_use: { status: 409, message: 'Another process already uses this data folder.' },
  damaged_configuration: {
    status: 500,
    message: 'The configuration file and its previous copy are both unreadable.',
  },
  newer_configuration: {
    status: 500,
    message: 'The configuration was written by a newer version of this program.',
  },
  wrong_key: {
    status: 500,
    message: 'The data folder’s key does not match its configuration, so the secrets cannot be decrypted.',
  },
  address_unavailable: {
    status: 409,
    message: 'This computer cannot listen at this address.',
  },
  listener_fixed: {
    status: 409,
    message: 'The listener’s address was set on the command line. Change it there.',
  },
  weak_admin_token: {
    status: 400,
    message: 'The admin token is too short. It needs at least 16 characters.',
  },
  key_in_keychain: {
    status: 500,
    message: 'The key of the data folder is protected by a keychain that is not available.',
  },
  port_in_use: { status: 409, message: 'Another program already listens on this port.' },
  invalid_certificate: { status: 400, message: 'The TLS certificate or key cannot be used.' },
  service_unreachable: {
    status: 503,
    message: 'The service does not answer. It may have stopped, and this page may be out of date.',
  },
  service_not_running: { status: 503, message: 'No service is running on this data folder.' },
  ambiguous_connection: {
    status: 409,
    message: 'More than one connection has this name. Use the connection’s id.',
  },
  ambiguous_workflow: { status: 409, message: 'More than one workflow has this name. Use the id.' },
  file_exists: {
    status: 409,
    message: 'A file already exists at this path. Choose another path, or use --force.',
  },
  data_folder_not_empty: { status: 409, message: 'The data folder is not empty.' },
  damaged_backup: { status: 400, message: 'The file is not a backup, or it is damaged.' },
  newer_backup: { status: 400, message: 'The backup was made by a newer version of this program.' },
} as const satisfies Record<string, ErrorDefinition>

export const errorCatalogue = { ...inboundErrors, ...serviceErrors, ...callErrors, ...refusalErrors } as const

export type ErrorCode = keyof typeof errorCatalogue

/**
 * Returns the status of an error over REST. It differs from the catalogue only for a disabled connection: senders get
 * 403, but for the owner it is a conflict with the connection's state, 409.
 */
export function serviceStatus(code: ErrorCode): number {
  return code === 'connection_disabled' ? 409 : errorCatalogue[code].status
}

/** An error with a code of the catalogue. REST, RPC and the command line each convert it to their own form. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly data: ErrorData | undefined

  /** @param options `detail` is a more specific message than the catalogue's. */
  constructor(code: ErrorCode, options: { detail?: string; data?: ErrorData; cause?: unknown } = {}) {
    super(options.detail ?? errorCatalogue[code].message, { cause: options.cause })
    this.name = 'ServiceError'
    this.code = code
    this.status = serviceStatus(code)
    this.data = options.data
  }
}

export type ErrorData = { issues: Issue[] }
