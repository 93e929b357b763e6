import { z } from 'zod'
import { maxSteps, Step, walkSteps } from '../workflows/steps/kinds.ts'
import { Condition, fieldOf } from './condition.ts'
import { ConnectionId, Moment, WorkflowId, WorkspaceId } from './identifiers.ts'
import { EventName } from './inbound-event.ts'
import { Name, NewName } from './text.ts'
import { triggerType } from './trigger.ts'
import { WorkflowIssue } from './workflow-issue.ts'

/** How deep branches and loops can be nested. */
export const maxStepDepth = 8
/** In one workflow, each `all` and `any` included. */
export const maxConditions = 1000
/** In one workflow, each as often as it is used. */
export const maxVariables = 5000
/** The maximum size of a workflow's JSON that is sent. Its checks run on the thread of the listener. */
export const maxWorkflowBytes = 512 * 1024
/** JSON values of a workflow that is sent, each object and list included. */
export const maxWorkflowValues = 10_000

export const maxOnceHours = 720

/** Starts one run of the events with the same key. See docs/workflows.md. */
export const Once = z.object({
  key: z
    .string()
    .min(1, 'Enter a key, such as {{order_id}}.')
    .max(1000, 'A key has at most 1,000 characters.')
    .describe('A template. Later events with the same key start no run.'),
  hours: z.int().min(1).max(maxOnceHours).describe('How long a key is kept.'),
})
export type Once = z.infer<typeof Once>

/** In the condition of a trigger, each `all` and `any` included. It may be evaluated for every event. */
export const maxTriggerConditions = 100
const maxTriggerVariables = 500
export const maxEventNames = 50

/** Counts the conditions and their variables before it checks them. */
const TriggerCondition = z.preprocess((given, context) => {
  if (hasMoreConditions([given], maxTriggerConditions, true))
    context.addIssue(`A trigger has at most ${maxTriggerConditions} conditions. Move some to a branch.`)
  if (hasMoreVariables(given, maxTriggerVariables))
    context.addIssue(`A trigger has at most ${maxTriggerVariables} variables. Move some to a branch.`)
  return given
}, Condition)

/** Matches events. Null matches any; a name that ends in `.*` matches every name with that prefix. */
export const WorkflowTrigger = z.object({
  type: z.literal(triggerType),
  connectionId: ConnectionId.nullable().default(null),
  eventName: EventName.nullable().default(null),
  eventNames: z
    .array(EventName)
    .min(1, 'Add a name, or leave the list out.')
    .max(maxEventNames, `A trigger has at most ${maxEventNames} names.`)
    .optional()
    .describe('Several names, instead of `eventName`.'),
  when: TriggerCondition.optional().describe('An event that does not fit starts no run.'),
  once: Once.optional().describe('Left out: each event starts a run.'),
})
export type WorkflowTrigger = z.infer<typeof WorkflowTrigger>

/** Returns why a key cannot be saved; null if it can. An earlier version may have stored one, which keeps working. */
export function constantKeyProblem({ once }: WorkflowTrigger): string | null {
  if (once === undefined || once.key.includes('{{')) return null
  return 'A key without a variable is the same for each event. Add one, such as {{order_id}}.'
}

/** Returns the problems that span several steps: too many steps, too deep nesting, duplicate keys. */
function stepIssues(steps: readonly Step[]): { path: (string | number)[]; message: string }[] {
  const issues: { path: (string | number)[]; message: string }[] = []
  const keys = new Set<string>()
  let count = 0
  for (const { step, path, depth } of walkSteps(steps)) {
    count++
    // The walk itself is short: a list has at most 100 steps, and deeper levels are not walked in full.
    if (count > maxSteps) return [{ path: ['steps'], message: `A workflow has at most ${maxSteps} steps.` }]
    if (depth > maxStepDepth)
      return [{ path: [...path], message: `Steps are nested at most ${maxStepDepth} levels deep.` }]
    if (keys.has(step.key))
      issues.push({ path: [...path, 'key'], message: `Another step has the key ${step.key}.` })
    keys.add(step.key)
  }
  return issues
}

function nameIssues({ eventName, eventNames }: WorkflowTrigger): { path: string[]; message: string }[] {
  const path = ['trigger', 'eventNames']
  if (eventNames === undefined) return []
  if (eventName !== null) return [{ path, message: 'Set either eventName or eventNames.' }]
  return new Set(eventNames).size < eventNames.length ? [{ path, message: 'Write each name once.' }] : []
}

/**
 * Returns a schema of steps that counts their conditions and variables before it checks them. Only a workflow that is
 * sent is counted: earlier versions may have stored more.
 */
export function withinLimits<Schema extends z.ZodType>(steps: Schema) {
  return z.preprocess((given, context) => {
    if (hasMoreConditions(given, maxConditions))
      context.addIssue(
        `A workflow has at most ${maxConditions} conditions. Split it, or compare in fewer steps.`,
      )
    if (hasMoreVariables(given, maxVariables))
      context.addIssue(
        `A workflow has at most ${maxVariables} variables. Split it, or insert whole lists and objects.`,
      )
    return given
  }, steps)
}

/** Returns whether there are more than `most` variables in steps that were not checked yet. */
function hasMoreVariables(steps: unknown, most: number): boolean {
  const left = [steps]
  for (let count = 0; left.length > 0; ) {
    const value = left.pop()
    if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) left.push(part)
    if (typeof value !== 'string') continue
    for (let at = value.indexOf('{{'); at !== -1; at = value.indexOf('{{', at + 2))
      if (++count > most) return true
  }
  return false
}

/** Returns whether there are more than `most` conditions in steps, or in conditions, that were not checked yet. */
function hasMoreConditions(list: unknown, most: number, areConditions = false): boolean {
  const left: { readonly value: unknown; readonly isCondition: boolean }[] = []
  const add = (list: unknown, isCondition: boolean) => {
    if (Array.isArray(list)) for (const value of list) left.push({ value, isCondition })
  }
  add(list, areConditions)
  for (let count = 0, next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, isCondition } = next
    if (isCondition && ++count > most) return true
    for (const name of isCondition ? ['all', 'any'] : ['steps', 'otherwise', 'cases'])
      add(fieldOf(value, name), isCondition)
    const when = isCondition ? undefined : fieldOf(value, 'when')
    if (when !== undefined) left.push({ value: when, isCondition: true })
  }
  return false
}

/** The fields of a workflow that users set. */
export const workflowFields = {
  name: Name,
  enabled: z.boolean().default(true),
  trigger: WorkflowTrigger,
  steps: z.array(Step).max(maxSteps).default([]),
  ordered: z.boolean().default(false).describe('One run at a time, in the order of the events.'),
  concurrency: z.int().min(1).max(100).default(10).describe('How many runs may execute in parallel.'),
}

/** Those fields with the rules that span several steps. */
export const WorkflowFields = z.object(workflowFields).superRefine(({ steps, trigger }, context) => {
  for (const issue of nameIssues(trigger)) context.addIssue({ code: 'custom', ...issue })
  for (const issue of stepIssues(steps)) context.addIssue({ code: 'custom', ...issue })
})
export type WorkflowFields = z.infer<typeof WorkflowFields>

export const NewWorkflow = z.object({
  ...workflowFields,
  name: NewName,
  steps: withinLimits(workflowFields.steps.unwrap()).default([]),
  workspaceId: z.string().optional().describe('Left out: the default workspace.'),
})
export type NewWorkflow = z.output<typeof NewWorkflow>

const { enabled, trigger, steps, ordered, concurrency } = workflowFields
/** A change of a workflow. Omitted fields stay as they are, so no field has a default. */
export const WorkflowChange = z
  .object({
    name: NewName,
    enabled: enabled.unwrap(),
    trigger,
    steps: withinLimits(steps.unwrap()),
    ordered: ordered.unwrap(),
    concurrency: concurrency.unwrap(),
  })
  .partial()
export type WorkflowChange = z.output<typeof WorkflowChange>

/** A workflow: a trigger and the steps that run when an event matches it. See docs/workflows.md. */
export const Workflow = z.object({
  workflowId: WorkflowId,
  workspaceId: WorkspaceId,
  ...workflowFields,
  createdAt: Moment,
  updatedAt: Moment,
  stepsChangedAt: Moment.optional().describe(
    'When the steps last changed. Left out for a workflow that an earlier version has stored.',
  ),
})
export type Workflow = z.infer<typeof Workflow>

/** A workflow with its invalid references. */
export const CheckedWorkflow = Workflow.extend({ issues: z.array(WorkflowIssue) })
