import { callErrors } from './errors/call.ts'
import { errorsWith } from './errors/errors-with.ts'
import { inboundErrors } from './errors/inbound.ts'
import type { Issue } from './model/issue.ts'

/**
 * The errors of REST, the dashboard and the command line. Each has a stable code, an HTTP status and one English
 * sentence. The tables of other errors, for example for senders and for calls, are in `errors/`. `docs/errors.md`
 * describes each code, which a test enforces.
 */
export const serviceErrors = {
  ...errorsWith(400, {
    invalid_input: 'Some fields are not valid.',
    empty_file: 'The file is empty.',
    damaged_file: 'The file is damaged. Save it again, then add the new file.',
    encrypted_file: 'The file is protected by a password. Save it without one, then add the new file.',
    file_too_complex: 'Reading the file takes too much time or memory, so it was stopped. Split the file.',
    invalid_document: 'The document cannot be imported. Nothing was changed.',
    import_too_complex: 'Reading the document needs more memory than an import may use. Split the document.',
    source_blocked: 'The address of the document is one that the service never calls.',
    source_too_large: 'The document at the address is too large to be imported.',
    source_not_text: 'The address does not lead to a text document.',
    source_header: 'The header for fetching the document cannot be sent.',
    weak_admin_token: 'The admin token is too short. It needs at least 16 characters.',
    invalid_certificate: 'The TLS certificate or key cannot be used.',
    key_required: 'With a database, the service needs the key in CUSTOM_CONNECTION_KEY.',
    admin_token_required:
      'With a database, the service needs an admin token: --admin-token @FILE or CUSTOM_CONNECTION_ADMIN_TOKEN.',
    invalid_database_url:
      'The URL of the database is not of the form postgres://user:password@host/name. Escape special characters of the password, for example / as %2F.',
    damaged_backup: 'The file is not a backup, or it is damaged.',
    newer_backup: 'The backup was made by a newer version of this program.',
  }),
  ...errorsWith(401, {
    unauthorized: 'The admin token is missing or wrong.',
  }),
  ...errorsWith(403, {
    forbidden_host: 'The service does not answer to this host name. See --allowed-host.',
    forbidden_origin: 'Requests from pages of another origin are refused.',
    missing_csrf_header: 'The header x-csrf-token is missing. Only the dashboard’s own page sends it.',
  }),
  ...errorsWith(404, {
    workspace_not_found: 'There is no such workspace.',
    connection_not_found: 'There is no such connection.',
    event_type_not_found: 'There is no such event type in this connection.',
    action_not_found: 'There is no such action in this connection.',
    case_not_found: 'There is no such case of this action.',
    knowledge_file_not_found: 'There is no such file.',
    upload_not_found: 'There is no such upload. It was finished or discarded, or the service has restarted.',
    environment_variable_not_found: 'The settings have no variable with this name.',
    workflow_not_found: 'There is no such workflow.',
    run_not_found: 'There is no such run, or it is no longer kept.',
    call_not_found: 'There is no such call, or it was deleted because of its age.',
    client_token_not_found: 'There is no such client token.',
    approval_not_found: 'No call waits for this approval. It was decided, or the client gave up.',
    conversation_not_found: 'There is no such conversation, or it is no longer kept.',
    event_not_found: 'There is no such stored event.',
    attempt_not_found: 'There is no such refused request, or it is no longer kept.',
    activity_item_not_found: 'Nothing that is kept has this id.',
    alert_not_found: 'There is no alert with this id.',
    node_not_found: 'There is no such node, or it has left.',
    no_such_path: 'No route has this path.',
  }),
  ...errorsWith(409, {
    too_many_agents:
      'The workspaces have too many agents, or too much text in them. Delete agents that are not in use.',
    knowledge_full:
      'An agent can have at most 1,000 files and 2 GiB in total. Delete files that are not in use.',
    variable_in_use: 'Another variable or the sign-in of a connection needs this variable.',
    webhook_not_set: 'The workspace has no webhook yet. Set its URL first.',
    no_import_source: 'The connection keeps no address of a document. Send the document, or its address.',
    nothing_to_undo: 'There is no import to take back. The service may have restarted since.',
    changed_meanwhile: 'It was changed after you read it. Your change was not made.',
    run_not_retriable:
      'Only failed, cancelled or waiting runs can be retried, and only while their payload is kept.',
    run_ended: 'The run has already ended.',
    too_many_client_tokens: 'There are 1,000 client tokens. Revoke those not in use.',
    conversation_busy: 'An answer is being generated. Stop it first, or wait until it has ended.',
    not_last_message: 'Only the last message of the user can be replaced.',
    nothing_to_retry: 'The conversation has no message to answer yet.',
    nothing_to_continue: 'The last answer is complete, or nothing was written. Send a message, or retry.',
    call_not_waiting: 'This call does not wait for a decision. It was decided, or its answer has ended.',
    form_not_open:
      'This form is not offered any more. It was sent or dismissed, or its message was replaced.',
    form_changed: 'The form was changed or removed since it was offered. Write the message again.',
    always_not_allowed: 'A DELETE must be confirmed each time. Send “once” instead of “always”.',
    no_model: 'No model is chosen. Choose one in the conversation or in the settings.',
    workspace_not_empty: 'The workspace still has connections or workflows. Delete them first.',
    default_workspace: 'The default workspace cannot be deleted.',
    duplicate_event_name: 'The connection already has an event type with this name.',
    duplicate_tool_name: 'The connection already has an action with this tool name.',
    case_name_taken: 'The action already has a case with this name.',
    too_many_cases:
      'An action has at most 100 cases, and a connection 1,000 with 4 MiB of text. Delete those not in use.',
    too_many_old_secrets:
      'Three earlier secrets are still valid. Wait until one expires, or rotate without a grace period to end all of them.',
    data_folder_in_use: 'Another process already uses this data folder.',
    address_unavailable: 'This computer cannot listen at this address.',
    sample_not_available: 'A service on a database has no sample. Load it on a service with a data folder.',
    metrics_token_given:
      'The token of the metrics was given at the start, with --metrics-token or CUSTOM_CONNECTION_METRICS_TOKEN. Change it there.',
    scheduled_backup_not_available:
      'With a database, the service makes no backups on a schedule. Use the tools of the database, and note each of its backups.',
    listener_fixed: 'The listener’s address was set on the command line. Change it there.',
    alert_closed: 'The alert has closed.',
    node_not_lost: 'Only a node that was not seen for 30 seconds can be forgotten.',
    port_in_use: 'Another program already listens on this port.',
    ambiguous_connection: 'More than one connection has this name. Use the connection’s id.',
    ambiguous_workflow: 'More than one workflow has this name. Use the id.',
    file_exists: 'A file already exists at this path. Choose another path, or use --force.',
    data_folder_not_empty: 'The data folder is not empty.',
    data_in_use: 'A service uses the database. A restore needs a new database, which none uses.',
    database_not_empty: 'A service has used the database. Create a new database.',
  }),
  ...errorsWith(410, {
    link_expired:
      'This download link was already used, or has expired. Start the download again in the dashboard.',
  }),
  ...errorsWith(413, {
    file_too_large: 'A file may have at most 50 MiB. Split it, or save it without its pictures.',
  }),
  ...errorsWith(415, {
    unsupported_media_type: 'Send the body as JSON, with the header Content-Type: application/json.',
    unsupported_file: 'Only PDF, DOCX, TXT and CSV files can be read.',
  }),
  ...errorsWith(429, {
    too_many_attempts:
      'Too many wrong admin tokens came from this address. The right token is still accepted.',
  }),
  ...errorsWith(500, {
    damaged_run: 'This run is damaged on the disk and cannot be read. A backup may have it.',
    damaged_data: 'A part of the stored data is damaged on the disk. A backup may have it.',
    damaged_event: 'This event is damaged on the disk and cannot be read. A backup may have it.',
    unsupported_node: 'This program needs a newer Node.',
    internal_error: 'An unexpected error occurred. The service’s log has the details.',
    damaged_configuration: 'The configuration file and its previous copy are both unreadable.',
    newer_configuration: 'The configuration was written by a newer version of this program.',
    newer_database: 'A newer version of this program has changed the database. Use that version.',
    unsupported_database: 'This program cannot use the database.',
    unsafe_database: 'The database may lose what it has confirmed.',
    too_few_connections: 'The database gives the service too few connections.',
    wrong_key: 'The data folder’s key does not match its configuration, so the secrets cannot be decrypted.',
    key_in_keychain: 'The key of the data folder is protected by a keychain that is not available.',
  }),
  ...errorsWith(502, {
    listener_unreachable: 'The inbound listener did not answer.',
    source_unreachable: 'The address of the document did not answer.',
    source_timed_out: 'The document did not arrive in time.',
    source_status: 'The address of the document answered with an error.',
    source_redirect: 'The address of the document redirects to where it must not.',
  }),
  ...errorsWith(503, {
    knowledge_busy: 'Other files are being read. Try again in a moment.',
    run_interrupted: 'The service stopped before the run had ended. The run continues at the next start.',
    too_many_mcp_requests: 'Too many requests of MCP clients are in progress. Wait until some have ended.',
    import_timed_out:
      'Reading the document took too long, so the import was stopped. Nothing was changed. Split the document, or try again.',
    verification_busy: 'Other requests are being verified. Try again in a moment.',
    events_busy: 'Other large events are being read. Try again in a moment.',
    imports_busy: 'Other imports are running. Try again in a moment.',
    storage_unavailable: 'The data folder cannot be written to at the moment.',
    service_unreachable:
      'The service does not answer. It may have stopped, and this page may be out of date.',
    service_not_running: 'No service is running on this data folder.',
  }),
}

export const errorCatalogue = {
  ...inboundErrors,
  ...serviceErrors,
  // The command line also refuses the arguments of a call.
  ...errorsWith(400, { invalid_arguments: callErrors.invalid_arguments }),
}

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

/** `current` comes with `changed_meanwhile`: the current state, as the same route answers it. */
export type ErrorData = { issues: Issue[]; current?: Readonly<Record<string, unknown>> }
