import type { OpenAPI } from '@orpc/contract'
import { OpenAPIGenerator } from '@orpc/openapi'
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4'
import { z } from 'zod'
import { version } from '#main/lib/version.ts'
import { ActionWithWarnings } from '#shared/contract/actions.ts'
import { Deleted, ErrorBody, routesOf } from '#shared/contract/base.ts'
import { Health } from '#shared/contract/health.ts'
import { ImportRequest } from '#shared/contract/imports.ts'
import { contract } from '#shared/contract/index.ts'
import { type ErrorCode, errorCatalogue } from '#shared/errors.ts'
import { Action } from '#shared/model/action.ts'
import { ActivityItem } from '#shared/model/activity.ts'
import {
  Approval,
  AssistantCall,
  AssistantTool,
  ClientToken,
  McpAddress,
  McpClient,
  NewClientToken,
} from '#shared/model/assistant.ts'
import { AssistantModel, FoundModel, ModelServer } from '#shared/model/assistant-model.ts'
import { Attempt } from '#shared/model/attempt.ts'
import { CallRecord, CallResult, LastTest, TestRecord, TestResult } from '#shared/model/call.ts'
import {
  ConnectionSummary,
  ConnectionWithWarnings,
  Credentials,
  NewConnection,
  Retention,
} from '#shared/model/connection.ts'
import {
  ContextUse,
  Conversation,
  ConversationChange,
  ConversationStatus,
  ConversationSummary,
  Message,
  ToolCallPart,
} from '#shared/model/conversation.ts'
import { Diagnosis } from '#shared/model/diagnosis.ts'
import { EnvironmentVariable } from '#shared/model/environment.ts'
import { EventType } from '#shared/model/event-type.ts'
import { ImportDocument } from '#shared/model/import-document.ts'
import { ImportIssue, ImportPreview, ImportResult } from '#shared/model/import-preview.ts'
import { EventPage, StoredEvent } from '#shared/model/inbound-event.ts'
import { Issue } from '#shared/model/issue.ts'
import { LiveMessage } from '#shared/model/live.ts'
import { Parameter } from '#shared/model/parameter.ts'
import { ProbeResult } from '#shared/model/probe.ts'
import { Run, RunDetails } from '#shared/model/run.ts'
import { ListenerStatus, ServiceInfo } from '#shared/model/service.ts'
import { Settings } from '#shared/model/settings.ts'
import { EventNameStatistics, Statistics } from '#shared/model/statistics.ts'
import { Tool } from '#shared/model/tool.ts'
import {
  CheckedWorkflow,
  Condition,
  FailurePolicy,
  NewWorkflow,
  NotifyStep,
  Step,
  StopStep,
  WaitStep,
  WorkflowIssue,
} from '#shared/model/workflow.ts'
import { DocumentStep } from '#shared/model/workflow-document.ts'
import { WorkflowOverview } from '#shared/model/workflow-figures.ts'
import { Workspace } from '#shared/model/workspace.ts'

const route = routesOf('backup')

const models = {
  Action,
  ActionWithWarnings,
  ActivityItem,
  Approval,
  AssistantCall,
  AssistantTool,
  AssistantModel,
  Attempt,
  CallRecord,
  CallResult,
  ClientToken,
  Connection: ConnectionWithWarnings,
  Condition,
  ConnectionSummary,
  ContextUse,
  Conversation,
  ConversationChange,
  ConversationStatus,
  ConversationSummary,
  Credentials,
  Deleted,
  Diagnosis,
  DocumentStep,
  EnvironmentVariable,
  Error: ErrorBody,
  ErrorIssue: Issue,
  Event: StoredEvent,
  EventNameStatistics,
  EventPage,
  EventType,
  FailurePolicy,
  FoundModel,
  Health,
  ImportDocument,
  ImportIssue,
  ImportPreview,
  ImportResult,
  LastTest,
  ListenerStatus,
  LiveMessage,
  McpAddress,
  McpClient,
  NewClientToken,
  Message,
  ModelServer,
  NewConnection,
  NewImport: ImportRequest,
  NewStep: Step,
  NewWorkflow,
  NotifyStep,
  Parameter,
  ProbeResult,
  Retention,
  Run,
  RunDetails,
  ServiceInfo,
  Settings,
  Statistics,
  Step,
  StopStep,
  TestRecord,
  TestResult,
  Tool,
  ToolCallPart,
  Workflow: CheckedWorkflow,
  WaitStep,
  WorkflowIssue,
  WorkflowOverview,
  Workspace,
}

type Named = { readonly schema: z.ZodType; readonly strategy: 'input' | 'output' }

/** The named schemas of the OpenAPI document, which generated types are named after. */
const namedSchemas: Record<string, Named> = Object.fromEntries(
  Object.entries(models).map(([name, schema]): [string, Named] => [
    name,
    { schema, strategy: name.startsWith('New') ? 'input' : 'output' },
  ]),
)

/** The contract, plus the backup: REST streams it, which contract procedures cannot do. */
const documented = {
  ...contract,
  backup: route(
    'POST',
    '/backup',
    'A backup of the whole data folder, secrets included, as a gzipped tar file',
  ).output(z.file().mime('application/gzip')),
}

/** Shared responses: a name, and error codes with the same status. */
const sharedResponses = {
  InvalidInput: ['invalid_input'],
  Unauthorized: ['unauthorized'],
  Forbidden: ['forbidden_host', 'forbidden_origin'],
  BodyTooLarge: ['body_too_large'],
  UnsupportedMediaType: ['unsupported_media_type'],
  TooManyAttempts: ['too_many_attempts'],
  InternalError: ['internal_error'],
  StorageUnavailable: ['storage_unavailable'],
} as const satisfies Record<string, readonly ErrorCode[]>
type SharedResponse = keyof typeof sharedResponses

/** Possible responses of every operation, and additional ones of operations with a body. */
const always: SharedResponse[] = ['Forbidden', 'TooManyAttempts']
const withBody: SharedResponse[] = ['BodyTooLarge', 'UnsupportedMediaType']

/**
 * Generates the OpenAPI document of the REST interface from the contract.
 *
 * @param serverUrl the base of all paths.
 */
export async function describeRest(serverUrl: string): Promise<object> {
  const document = await new OpenAPIGenerator({
    schemaConverters: [new ZodToJsonSchemaConverter()],
  }).generate(documented, {
    info: {
      title: 'Custom Connection',
      version,
      description:
        'If a path does not support a method, it returns 405 and lists the supported methods in `Allow`.',
    },
    servers: [{ url: serverUrl }],
    security: [{ adminToken: [] }],
    components: {
      securitySchemes: { adminToken: { type: 'http', scheme: 'bearer' } },
      responses: Object.fromEntries(
        Object.entries(sharedResponses).map(([name, codes]) => [name, responseOf(codes)]),
      ),
    },
    commonSchemas: namedSchemas,
    customErrorResponseBodySchema: errors => schemaOf(errors.map(([code]) => code)),
  })
  for (const item of Object.values(document.paths ?? {}))
    for (const operation of Object.values(item ?? {})) if (isOperation(operation)) describeErrors(operation)
  return document
}

function isOperation(value: unknown): value is OpenAPI.OperationObject {
  return typeof value === 'object' && value !== null && 'responses' in value
}

/** Returns the schema of an error body with one of these codes. */
const schemaOf = (codes: readonly string[]) => ({
  allOf: [{ $ref: '#/components/schemas/Error' }],
  properties: { code: { enum: [...codes] } },
})

function responseOf(codes: readonly string[]): OpenAPI.ResponseObject {
  const sentences = codes.map(
    code => `\`${code}\`: ${Object.hasOwn(errorCatalogue, code) ? messageOf(code) : ''}`,
  )
  return { description: sentences.join('\n'), content: { 'application/json': { schema: schemaOf(codes) } } }
}

const messages: Readonly<Record<string, { readonly message: string }>> = errorCatalogue
const messageOf = (code: string) => messages[code]?.message ?? ''

/** Describes each error of an operation, and adds the errors that no procedure declares. */
function describeErrors(operation: OpenAPI.OperationObject): void {
  const responses = operation.responses ?? {}
  for (const [status, response] of Object.entries(responses)) {
    if (Number(status) < 400) continue
    const codes = codesOf(response)
    const shared = Object.entries(sharedResponses).find(([, those]) => those.join() === codes.join())
    responses[status] = shared === undefined ? responseOf(codes) : refTo(shared[0])
  }
  for (const name of [...always, ...(operation.requestBody === undefined ? [] : withBody)])
    responses[errorCatalogue[sharedResponses[name][0]].status] ??= refTo(name)
  const isStream = JSON.stringify(responses['200'] ?? '').includes('text/event-stream')
  // A conversation’s stream begins with all of it.
  const isResumable = isStream && operation.tags?.includes('conversations') !== true
  if (isResumable) operation.parameters = [...(operation.parameters ?? []), lastEventId]
}

const refTo = (name: string) => ({ $ref: `#/components/responses/${name}` })

const Codes = z.object({
  content: z.object({
    'application/json': z.object({
      schema: z.object({ properties: z.object({ code: z.object({ enum: z.array(z.string()) }) }) }),
    }),
  }),
})
const codesOf = (response: unknown) =>
  Codes.parse(response).content['application/json'].schema.properties.code.enum

/** The header with which a client of server-sent events reconnects. */
const lastEventId: OpenAPI.ParameterObject = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The id of the last item seen. The stream continues after it.',
  schema: { type: 'string' },
}
