import type { z } from 'zod'
import { ActionWithWarnings } from '#shared/contract/actions.ts'
import { Deleted, ErrorBody } from '#shared/contract/base.ts'
import { Health } from '#shared/contract/health.ts'
import { Action } from '#shared/model/action.ts'
import { ActivityItem } from '#shared/model/activity.ts'
import { Attempt } from '#shared/model/attempt.ts'
import { CallResult, LastTest, TestRecord, TestResult } from '#shared/model/call.ts'
import {
  ConnectionSummary,
  ConnectionWithWarnings,
  Credentials,
  NewConnection,
  Retention,
} from '#shared/model/connection.ts'
import { Diagnosis } from '#shared/model/diagnosis.ts'
import { EnvironmentVariable } from '#shared/model/environment.ts'
import { EventType } from '#shared/model/event-type.ts'
import { ImportDocument } from '#shared/model/import-document.ts'
import { ImportPreview, ImportResult } from '#shared/model/import-preview.ts'
import { EventPage, StoredEvent } from '#shared/model/inbound-event.ts'
import { Issue } from '#shared/model/issue.ts'
import { LiveMessage } from '#shared/model/live.ts'
import { Parameter } from '#shared/model/parameter.ts'
import { ProbeResult } from '#shared/model/probe.ts'
import { ListenerStatus, ServiceInfo } from '#shared/model/service.ts'
import { Settings } from '#shared/model/settings.ts'
import { EventNameStatistics, Statistics } from '#shared/model/statistics.ts'
import { Tool } from '#shared/model/tool.ts'
import { Workspace } from '#shared/model/workspace.ts'

const models = {
  Action,
  ActionWithWarnings,
  ActivityItem,
  Attempt,
  CallResult,
  Connection: ConnectionWithWarnings,
  ConnectionSummary,
  Credentials,
  Deleted,
  Diagnosis,
  EnvironmentVariable,
  Error: ErrorBody,
  ErrorIssue: Issue,
  Event: StoredEvent,
  EventNameStatistics,
  EventPage,
  EventType,
  Health,
  ImportDocument,
  ImportPreview,
  ImportResult,
  LastTest,
  ListenerStatus,
  LiveMessage,
  NewConnection,
  Parameter,
  ProbeResult,
  Retention,
  ServiceInfo,
  Settings,
  Statistics,
  TestRecord,
  TestResult,
  Tool,
  Workspace,
}

type Named = { readonly schema: z.ZodType; readonly strategy: 'input' | 'output' }

/** The schemas that the OpenAPI document defines once, by the name that generated types get. */
export const namedSchemas: Record<string, Named> = Object.fromEntries(
  Object.entries(models).map(([name, schema]): [string, Named] => [
    name,
    { schema, strategy: name.startsWith('New') ? 'input' : 'output' },
  ]),
)
