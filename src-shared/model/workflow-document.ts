import { z } from 'zod'
import { importVersion } from './import-document.ts'
import {
  ActionStep,
  BranchStep,
  Case,
  type Condition,
  EachStep,
  HttpStep,
  maxSteps,
  NotifyStep,
  StopStep,
  WaitStep,
  WorkflowTrigger,
  withinLimits,
  workflowFields,
} from './workflow.ts'

/** A connection in a document: its name, or its id where the name is not unique in the workspace. */
const ConnectionName = z.string().min(1, 'Name a connection.')

const DocumentAction = ActionStep.omit({ connectionId: true }).extend({ connection: ConnectionName })
const DocumentHttp = HttpStep.extend({
  signWith: ConnectionName.optional().describe('The connection whose secret signs the request.'),
})
type DocumentAction = z.infer<typeof DocumentAction>
type DocumentHttp = z.infer<typeof DocumentHttp>
type Common = Pick<DocumentAction, 'key' | 'onFailure'>

/** A step of a workflow that names connections instead of their ids. */
export type DocumentStep =
  | DocumentAction
  | DocumentHttp
  | (Common & {
      type: 'branch'
      cases: { when: Condition; steps: DocumentStep[] }[]
      otherwise: DocumentStep[]
    })
  | (Common & { type: 'each'; items: string; steps: DocumentStep[] })
  | z.infer<typeof WaitStep>
  | z.infer<typeof NotifyStep>
  | z.infer<typeof StopStep>

const Steps = z.lazy(() => z.array(DocumentStep).max(maxSteps))
const DocumentBranch = BranchStep.extend({
  cases: z.array(Case.extend({ steps: Steps })),
  otherwise: Steps.default([]),
})
const DocumentEach = EachStep.extend({ steps: Steps })
export const DocumentStep: z.ZodType<DocumentStep> = z.lazy(() =>
  z.discriminatedUnion('type', [
    DocumentAction,
    DocumentHttp,
    DocumentBranch,
    DocumentEach,
    WaitStep,
    NotifyStep,
    StopStep,
  ]),
)

/** One workflow as an export writes it. An import can omit what has a default. */
export const WorkflowDocument = z.object({
  version: z.literal(importVersion).default(importVersion),
  workflow: z.object({
    ...workflowFields,
    trigger: WorkflowTrigger.omit({ connectionId: true }).extend({
      connection: ConnectionName.nullable().default(null),
    }),
    steps: z.array(DocumentStep).max(maxSteps).default([]),
  }),
})
export type WorkflowDocument = z.infer<typeof WorkflowDocument>

const { steps } = WorkflowDocument.shape.workflow.shape

/** A document that is imported. It may be the whole body of a request, and then says where the workflow goes. */
export const ImportedWorkflow = WorkflowDocument.extend({
  workflow: WorkflowDocument.shape.workflow.extend({ steps: withinLimits(steps.unwrap()).default([]) }),
  workspaceId: z.string().optional(),
})
