import type { OpenAPI } from '@orpc/contract'
import { OpenAPIGenerator } from '@orpc/openapi'
import { JSON_SCHEMA_INPUT_REGISTRY, ZodToJsonSchemaConverter } from '@orpc/zod/zod4'
import { z } from 'zod'
import { version } from '#main/lib/version.ts'
import { ActionWithWarnings } from '#shared/contract/actions.ts'
import { Deleted, ErrorBody, routesOf } from '#shared/contract/base.ts'
import { Health } from '#shared/contract/health.ts'
import { ImportRequest } from '#shared/contract/imports.ts'
import { contract } from '#shared/contract/index.ts'
import { AddFileQuery, refusedFile } from '#shared/contract/platform.ts'
import { Action } from '#shared/model/action.ts'
import { ActivityItem, commonItems, ExportSelection, ListedOccurrence } from '#shared/model/activity.ts'
import { Alert, AlertKind, ConnectionWatch, MeasuredNow, ServiceWatch } from '#shared/model/alert.ts'
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
import {
  CallError,
  CallingClient,
  CallingStep,
  CallRecord,
  CallResult,
  CallSource,
  CallTimings,
  LastTest,
  ReceivedResponse,
  SentRequest,
  TestRecord,
  TestResult,
} from '#shared/model/call.ts'
import { Condition } from '#shared/model/condition.ts'
import {
  ConnectionSummary,
  ConnectionWithWarnings,
  Credentials,
  NewConnection,
  Retention,
} from '#shared/model/connection.ts'
import { ConnectionAuth, ConnectionAuthData } from '#shared/model/connection-auth.ts'
import { ConnectionFigures, ListedRow } from '#shared/model/connection-list.ts'
import { ConnectionState, ConnectionStatus, LastHour } from '#shared/model/connection-status.ts'
import {
  AgentUse,
  ContextUse,
  Conversation,
  ConversationAgent,
  ConversationChange,
  ConversationFields,
  ConversationProblem,
  ConversationStatus,
  ConversationSummary,
  FormPart,
  Message,
  MessagePart,
  ToolCallPart,
} from '#shared/model/conversation.ts'
import { Diagnosis, SchemeName } from '#shared/model/diagnosis.ts'
import { EnvironmentVariable, OAuth2Variable } from '#shared/model/environment-variable.ts'
import { EventType } from '#shared/model/event-type.ts'
import { ImportEntry } from '#shared/model/import-comparison.ts'
import { ImportDocument } from '#shared/model/import-document.ts'
import { importModels } from '#shared/model/import-preview.ts'
import { SourceHeader } from '#shared/model/import-source.ts'
import { Declared, EventName, EventPage, StoredEvent } from '#shared/model/inbound-event.ts'
import { Issue } from '#shared/model/issue.ts'
import { LiveMessage } from '#shared/model/live.ts'
import { Method } from '#shared/model/method.ts'
import { Parameter, ParameterPlace, ParameterStyle, ParameterType } from '#shared/model/parameter.ts'
import { shapes } from '#shared/model/platform/agent.ts'
import {
  KnowledgeEncoding,
  KnowledgeFile,
  KnowledgeMatch,
  KnowledgePassage,
  KnowledgePlace,
  KnowledgeText,
} from '#shared/model/platform/knowledge.ts'
import { Webhook } from '#shared/model/platform/webhook.ts'
import { PlatformEventType } from '#shared/model/platform/webhook-event.ts'
import { ProbeResult } from '#shared/model/probe.ts'
import { RateLimit } from '#shared/model/rate-limit.ts'
import { Run, RunContents, RunDetails, RunError } from '#shared/model/run.ts'
import { SavedWarning } from '#shared/model/saved-warning.ts'
import { Searched } from '#shared/model/searched.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { senderParts } from '#shared/model/sender/sender-template.ts'
import { TriedSender } from '#shared/model/sender/sender-trial.ts'
import { StepMessage, StepState } from '#shared/model/sender/verification.ts'
import { ListenerStatus, ServiceInfo } from '#shared/model/service.ts'
import { Settings } from '#shared/model/settings.ts'
import { ConnectionStatistics, EventNameStatistics, Statistics } from '#shared/model/statistics.ts'
import { Tool } from '#shared/model/tool.ts'
import { ToolWarning } from '#shared/model/tool-warning.ts'
import { CheckedWorkflow, NewWorkflow, Once, WorkflowTrigger } from '#shared/model/workflow.ts'
import { WorkflowOverview } from '#shared/model/workflow-figures.ts'
import { WorkflowIssue } from '#shared/model/workflow-issue.ts'
import { WorkspaceAnswer } from '#shared/model/workspace.ts'
import { earliestMs, latestMs, TimeInput, TimeText } from '#shared/time.ts'
import { ActionStep } from '#shared/workflows/steps/action.ts'
import { HttpStep } from '#shared/workflows/steps/http.ts'
import { DocumentStep, Step } from '#shared/workflows/steps/kinds.ts'
import { NotifyStep } from '#shared/workflows/steps/notify.ts'
import { SetStep } from '#shared/workflows/steps/set.ts'
import { FailurePolicy, PrivateStep, StepKey } from '#shared/workflows/steps/step-kind.ts'
import { StopStep } from '#shared/workflows/steps/stop.ts'
import { WaitStep } from '#shared/workflows/steps/wait.ts'
import { describeErrors, type Shared, schemaOf } from './describe-errors.ts'
import { dropSafeBounds } from './drop-safe-bounds.ts'
import { extendSchemas } from './extend-schemas.ts'
import { referToSchemas } from './refer-to-schemas.ts'
import { shareAnswers } from './share-answers.ts'
import { shareParameters } from './share-parameters.ts'

const models = {
  ...commonItems,
  ...importModels,
  ...senderParts,
  StepMessage,
  StepState,
  Action,
  ActionStep,
  ActionWithWarnings,
  ActivityItem,
  AgentUse,
  Alert,
  AlertKind,
  Approval,
  AssistantCall,
  AssistantTool,
  AssistantModel,
  Attempt,
  CallError,
  CallingClient,
  CallingStep,
  CallRecord,
  CallResult,
  CallSource,
  CallTimings,
  ClientToken,
  Connection: ConnectionWithWarnings,
  Condition,
  ConnectionAuth: ConnectionAuthData,
  ConnectionFigures,
  ConnectionRow: ListedRow,
  ConnectionState,
  ConnectionStatus,
  LastHour,
  ConnectionStatistics,
  ConnectionWatch,
  ConnectionSummary,
  ContextUse,
  Conversation,
  ConversationAgent,
  ConversationChange,
  ConversationFields,
  ConversationProblem,
  ConversationStatus,
  ConversationSummary,
  Credentials,
  Declared,
  Deleted,
  Diagnosis,
  DocumentStep,
  EnvironmentVariable,
  Error: ErrorBody,
  ErrorIssue: Issue,
  Event: StoredEvent,
  EventName,
  EventNameStatistics,
  EventPage,
  EventType,
  FailurePolicy,
  FormPart,
  FoundModel,
  Health,
  HttpStep,
  ImportDocument,
  ImportEntry,
  KnowledgeEncoding,
  KnowledgeFile,
  KnowledgeMatch,
  KnowledgePassage,
  KnowledgePlace,
  KnowledgeText,
  LastTest,
  ListedOccurrence,
  ListenerStatus,
  LiveMessage,
  McpAddress,
  Method,
  McpClient,
  NewClientToken,
  MeasuredNow,
  Message,
  MessagePart,
  ModelServer,
  NewConnection,
  NewConnectionAuth: ConnectionAuth,
  NewImport: ImportRequest,
  NewRunContents: RunContents,
  NewSourceHeader: SourceHeader,
  NewStep: Step,
  NewTrigger: WorkflowTrigger,
  NewWebhook: Webhook,
  NewWorkflow,
  NotifyStep,
  OAuth2Variable,
  Once,
  Parameter,
  ParameterPlace,
  ParameterStyle,
  ParameterType,
  ...Object.fromEntries(Object.values(shapes).map(({ model, schema }) => [model, schema])),
  PlatformEventType,
  PrivateStep,
  ProbeResult,
  RateLimit,
  Retention,
  Run,
  ReceivedResponse,
  RunDetails,
  RunError,
  SavedWarning,
  SchemeName,
  Sender,
  SentRequest,
  SetStep,
  ServiceInfo,
  ServiceWatch,
  Searched,
  Settings,
  Statistics,
  Step,
  StepKey,
  StopStep,
  TestRecord,
  TestResult,
  Tool,
  ToolCallPart,
  ToolWarning,
  Workflow: CheckedWorkflow,
  WaitStep,
  WorkflowIssue,
  WorkflowOverview,
  WorkflowTrigger,
  Workspace: WorkspaceAnswer,
}

/** Models of requests and responses whose defaults a request may leave out. */
const inputs: ReadonlySet<string> = new Set(['Sender'])

/** The named schemas of the OpenAPI document, which generated types are named after. */
const namedSchemas = Object.fromEntries(
  Object.entries<z.ZodType>(models).map(([name, schema]) => [
    name,
    { schema, strategy: inputs.has(name) || name.startsWith('New') ? 'input' : 'output' } as const,
  ]),
)

/** The contract, plus what REST streams: files that are added, the backup, and the export, whose pieces the contract has. */
const { export: streamed, ...activity } = contract.activity
const { summary: exportSummary = '' } = streamed['~orpc'].route
const documented = {
  ...contract,
  activity: {
    ...activity,
    export: routesOf('activity')('GET', '/activity/export', exportSummary, [
      'connection_not_found',
      'workspace_not_found',
    ])
      .input(ExportSelection)
      .output(z.file().mime('application/x-ndjson')),
  },
  addFile: routesOf('knowledge')(
    'POST',
    '/platform/knowledge',
    'Add a file that an agent may answer from: the body is the file, or a form with one file',
    refusedFile,
  )
    .route({ inputStructure: 'detailed' })
    .input(
      z.object({
        query: AddFileQuery,
        body: z.file().mime('application/octet-stream'),
      }),
    )
    .output(KnowledgeFile),
  backup: routesOf('backup')(
    'POST',
    '/backup',
    'A backup of all data, secrets included, as a gzipped tar file',
  ).output(z.file().mime('application/gzip')),
}

// The same fields, which may not fit together yet. What the converter writes of them would stand beside the reference.
JSON_SCHEMA_INPUT_REGISTRY.add(TriedSender, { $ref: '#/components/schemas/Sender', anyOf: undefined })

// Times in requests: the converter sees only a text or a number that is parsed.
JSON_SCHEMA_INPUT_REGISTRY.add(TimeInput, {
  anyOf: [
    { type: 'string', format: 'date-time' },
    { type: 'integer', minimum: earliestMs, maximum: latestMs },
  ],
})
JSON_SCHEMA_INPUT_REGISTRY.add(TimeText, {
  type: 'string',
  anyOf: [
    { type: 'string', format: 'date-time' },
    { type: 'string', pattern: String.raw`^\d{12,15}$` },
  ],
})

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
        'If a path does not support a method, it returns 405 and lists the supported methods in `Allow`. Lists that take ' +
        '`limit` and `after` have an `ETag`, and return 304 for an `If-None-Match` with the present one.',
    },
    servers: [{ url: serverUrl }],
    security: [{ adminToken: [] }],
    components: { securitySchemes: { adminToken: { type: 'http', scheme: 'bearer' } } },
    commonSchemas: namedSchemas,
    customErrorResponseBodySchema: errors => schemaOf(errors.map(([code]) => code)),
  })
  const shared: Shared = {}
  const items = Object.values(document.paths ?? {}).flatMap(item => Object.values(item ?? {}))
  const operations = items.flatMap(item => (isOperation(item) ? [item] : []))
  for (const operation of operations) describeErrors(operation, shared)
  // The generator sets both for each: the standard advises against the first, and a client may encode all characters.
  for (const { parameters = [] } of operations)
    for (const parameter of parameters)
      if ('in' in parameter) {
        delete parameter.allowEmptyValue
        delete parameter.allowReserved
      }
  shareAnswers(operations, shared)
  const parameters = shareParameters(operations)
  const schemas = extendSchemas({ ...document.components?.schemas })
  const paths = referToSchemas(document.paths ?? {}, schemas)
  return dropSafeBounds({
    ...document,
    paths,
    components: { ...document.components, schemas, parameters, responses: shared },
  })
}

function isOperation(value: unknown): value is OpenAPI.OperationObject {
  return typeof value === 'object' && value !== null && 'responses' in value
}
