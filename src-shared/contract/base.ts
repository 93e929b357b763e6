import { oc } from '@orpc/contract'
import { z } from 'zod'
// Configures the messages of all schemas.
import '../model/issue-sentences.ts'
import { type ErrorCode, errorCatalogue, serviceStatus } from '../errors.ts'
import { Issue } from '../model/issue.ts'
import { maxPage } from '../model/page.ts'
import { TimeInput } from '../time.ts'

/** The path prefix of the REST interface. */
export const restPrefix = '/api/v1'
/** The base of the addresses of MCP. */
export const mcpPath = '/mcp'

const ErrorData = z
  .object({
    issues: z.array(Issue),
    current: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('With `changed_meanwhile`: the current state, as the route answers it.'),
  })
  .optional()

/** The body of every error over REST. */
export const ErrorBody = z.object({
  code: z.string().describe('Stable; `docs/errors.md` describes each.'),
  message: z.string().describe('One English sentence for the person reading.'),
  data: ErrorData,
})

/** Has a name, because every route declares several, and the compiler would write each of them out. */
export type DeclaredError = { status: number; message: string; data: typeof ErrorData }
type Declared<C extends ErrorCode> = { [K in C]: DeclaredError }

/** Declares error codes for a procedure; status and message come from the catalogue. */
function declare<C extends ErrorCode>(codes: readonly ErrorCode[]): Declared<C> {
  const entries = codes.map(code => [
    code,
    { status: serviceStatus(code), message: errorCatalogue[code].message, data: ErrorData },
  ])
  return Object.fromEntries(entries)
}

const everywhere = [
  'invalid_input',
  'unauthorized',
  'damaged_data',
  'storage_unavailable',
  'internal_error',
] as const
const base = oc.errors(declare<(typeof everywhere)[number]>(everywhere))

/** The error of a route for each id in its path. */
const notFound = {
  connectionId: 'connection_not_found',
  workspaceId: 'workspace_not_found',
  actionId: 'action_not_found',
  caseId: 'case_not_found',
  eventTypeId: 'event_type_not_found',
  eventId: 'event_not_found',
  attemptId: 'attempt_not_found',
  itemId: 'activity_item_not_found',
  callId: 'call_not_found',
  workflowId: 'workflow_not_found',
  runId: 'run_not_found',
  tokenId: 'client_token_not_found',
  approvalId: 'approval_not_found',
  conversationId: 'conversation_not_found',
  fileId: 'knowledge_file_not_found',
  uploadId: 'upload_not_found',
  nodeId: 'node_not_found',
  alertId: 'alert_not_found',
} as const satisfies Record<string, ErrorCode>
type NotFound = typeof notFound
type NotFoundIn<Path extends string> = {
  [Id in keyof NotFound]: Path extends `${string}{${Id}}${string}` ? NotFound[Id] : never
}[keyof NotFound]

/**
 * Returns a function that declares the routes of a tag. Each has the errors common to all routes, `not_found` for the ids
 * in its path, and its own.
 *
 * @param start what all paths of the tag start with.
 */
export function routesOf<const Start extends string = ''>(tag: string, start?: Start) {
  return <const Rest extends `/${string}` | '', const C extends ErrorCode = never>(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT',
    rest: Rest,
    summary: string,
    errors: readonly C[] = [],
  ) => {
    // The type of a path begins with its slash.
    const path: `/${string}` = `/${`${start ?? ''}${rest}`.slice(1)}`
    const missing = Object.entries(notFound).flatMap(([id, code]) => (path.includes(`{${id}}`) ? [code] : []))
    return base
      .errors(declare<C | NotFoundIn<`${Start}${Rest}`>>([...missing, ...errors]))
      .route({ method, path, summary, tags: [tag] })
  }
}

/** The field of each PATCH that makes it only if nobody else was faster. */
export const ifUpdatedAt = {
  ifUpdatedAt: TimeInput.nullish().describe(
    'The `updatedAt` that you have read. If it is another one now, nothing is changed: 409 `changed_meanwhile`.',
  ),
}

/** The fields of a GET that returns a list in pages, or all of it without `limit`. @param key the field that names an item. */
export const pageOf = (key: string) => ({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(maxPage)
    .optional()
    .describe('The most items; all by default. A shorter page is the last one.'),
  after: z.string().max(200).optional().describe(`The \`${key}\` of the last item of the page before.`),
})

/** The response of a deletion. */
export const Deleted = z.object({ deleted: z.int().describe('How many were deleted.') })
