import { z } from 'zod'
import { DocumentStep, maxSteps } from '../workflows/steps/kinds.ts'
import { ConnectionName } from '../workflows/steps/step-kind.ts'
import { importVersion } from './import-document.ts'
import { NewName } from './text.ts'
import { WorkflowTrigger, withinLimits, workflowFields } from './workflow.ts'

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
  workflow: WorkflowDocument.shape.workflow.extend({
    name: NewName,
    steps: withinLimits(steps.unwrap()).default([]),
  }),
  workspaceId: z.string().optional(),
})
