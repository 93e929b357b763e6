import { z } from 'zod'
import { replaceVariables } from '../workflows/templates.ts'
import { Method } from './action.ts'
import { headerNameProblem } from './action-headers.ts'
import { ConnectionId, Moment, WorkflowId, WorkspaceId } from './identifiers.ts'
import { EventName } from './inbound-event.ts'
import { invalidKey, nestedTooDeep } from './issue.ts'
import { JsonValue } from './json-value.ts'
import { Name } from './text.ts'
import { triggerType } from './trigger.ts'

export const maxSteps = 100
/** How deep branches and loops can be nested. */
export const maxStepDepth = 8
const maxCases = 20
const maxConditionParts = 50
/** How deep `all` and `any` can be nested. */
export const maxConditionDepth = 20
/** In one workflow, each `all` and `any` included. */
export const maxConditions = 1000
/** In one workflow, each as often as it is used. */
export const maxVariables = 5000
/** Of the JSON of a workflow that is sent. Its checks run on the thread of the listener. */
export const maxWorkflowBytes = 512 * 1024
/** JSON values of a workflow that is sent, each object and list included. */
export const maxWorkflowValues = 10_000
const maxTemplate = 8000
const maxArguments = 64 * 1024
/** A year, in seconds. */
export const maxWaitSeconds = 31_536_000

/** A string that can contain `{{variables}}`. */
const Template = z.string().max(maxTemplate, `A text with variables has at most ${maxTemplate} characters.`)

const TemplatedJson = JsonValue.refine(
  value => JSON.stringify(value).length <= maxArguments,
  'At most 64 KiB of JSON.',
)

export const Operator = z.enum([
  'equals',
  'not_equals',
  'contains',
  'starts_with',
  'greater',
  'less',
  'exists',
  'not_exists',
])
export type Operator = z.infer<typeof Operator>

/** Returns whether an operator compares with an operand. */
export function takesOperand(operator: Operator): boolean {
  return operator !== 'exists' && operator !== 'not_exists'
}

/** Compares a value with an operand, or combines other conditions. */
export type Condition =
  | { value: string; operator: Operator; operand?: z.infer<typeof TemplatedJson> | undefined }
  | { all: Condition[] }
  | { any: Condition[] }

const Comparison = z
  .object({ value: Template, operator: Operator, operand: TemplatedJson.optional() })
  .refine(({ operator, operand }) => !takesOperand(operator) || operand !== undefined, {
    path: ['operand'],
    message: 'Set an operand to compare the value with.',
  })
const Parts = z.lazy(() => z.array(Part).min(1, 'Add a condition.').max(maxConditionParts))
const Part: z.ZodType<Condition> = z.lazy(() =>
  z.union([Comparison, z.strictObject({ all: Parts }), z.strictObject({ any: Parts })]),
)

// The depth is checked first: the schema calls itself for each level, and would exhaust the stack.
export const Condition: z.ZodType<Condition> = z.preprocess((condition, context) => {
  const path = pathOfTooDeep(condition)
  if (path !== null)
    context.addIssue(nestedTooDeep(path, `Conditions are nested at most ${maxConditionDepth} levels deep.`))
  return condition
}, Part)

/** Returns the path to a list of conditions below the deepest level; null if there is none. */
function pathOfTooDeep(condition: unknown): (string | number)[] | null {
  let level = [{ condition, path: [] as (string | number)[] }]
  for (let depth = 0; level.length > 0; depth++) {
    const lists = level.flatMap(({ condition, path }) =>
      ['all', 'any'].map(name => ({ list: fieldOf(condition, name), path: [...path, name] })),
    )
    const inside = lists.filter(({ list }) => Array.isArray(list))
    const [first] = inside
    if (depth === maxConditionDepth) return first?.path ?? null
    level = inside.flatMap(({ list, path }) =>
      Array.isArray(list) ? list.map((part, index) => ({ condition: part, path: [...path, index] })) : [],
    )
  }
  return null
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/**
 * The reaction to a failed step. `retry`: after the last retry, the run fails. `continue`: after the last retry, the run
 * goes on. `stop`: no retry; the run fails.
 */
export const FailurePolicy = z
  .enum(['retry', 'continue', 'stop'])
  .describe('What happens after a failure; left out: retry.')
export type FailurePolicy = z.infer<typeof FailurePolicy>

/** The name of a step: unique in its workflow, part of `{{steps.KEY}}` and of the idempotency key of its calls. */
export const StepKey = z
  .string()
  .regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/, 'A key is snake_case: lower-case letters, digits and _.')
  .max(64, 'A key has at most 64 characters.')

/** Variables are allowed only in the path and the query: an event must not choose the host that is called. */
const UrlTemplate = Template.trim().superRefine((text, context) => {
  // Braces are allowed in a path, but not in a host.
  const url = replaceVariables(text, () => '{}').replace(/\{\{[^{}]*\}\}/g, '{}')
  if (/^https?:\/\/[^/?#{}\s@]+(?:[/?][^\s]*)?$/i.test(url) && z.url().safeParse(url).success) return
  const hasUser = /^https?:\/\/[^/?#\s]*@/i.test(text)
  context.addIssue({
    code: 'custom',
    message: hasUser
      ? 'Remove the user name and password from the URL. Use an Authorization header with a variable instead.'
      : 'Write an absolute URL such as https://api.example.com/orders/{{order_id}}. The host cannot have variables.',
  })
})
const common = {
  key: StepKey,
  onFailure: FailurePolicy.optional(),
}
const Steps = z.lazy(() => z.array(Step).max(maxSteps))

export const ActionStep = z.object({
  ...common,
  type: z.literal('action'),
  connectionId: ConnectionId,
  toolName: z.string().min(1, 'Choose an action.'),
  arguments: z.record(z.string(), TemplatedJson).default({}),
})
const HttpHeaders = z.record(z.string(), Template).superRefine((headers, context) => {
  for (const name of Object.keys(headers)) {
    const problem = headerNameProblem(name)
    if (problem !== null) context.addIssue(invalidKey(name, problem))
  }
})
export const HttpStep = z.object({
  ...common,
  type: z.literal('http'),
  method: Method,
  url: UrlTemplate,
  headers: HttpHeaders.optional(),
  body: TemplatedJson.optional().describe(
    'Sent as the Content-Type says: a string as it is written, an object as a form or as JSON. JSON by default.',
  ),
  signWith: ConnectionId.optional().describe('The connection whose secret signs the request.'),
})
export const Case = z.object({ when: Condition, steps: Steps })
export const BranchStep = z.object({
  ...common,
  type: z.literal('branch'),
  cases: z.array(Case).min(1, 'A branch has at least one case.').max(maxCases),
  otherwise: Steps.default([]),
})
export const EachStep = z.object({
  ...common,
  type: z.literal('each'),
  items: Template,
  steps: Steps,
})
export const WaitStep = z
  .object({
    ...common,
    type: z.literal('wait'),
    seconds: z.number().min(1).max(maxWaitSeconds).optional(),
    until: Template.optional().describe('ISO 8601 with an offset, or milliseconds since 1970.'),
  })
  .refine(({ seconds, until }) => (seconds === undefined) !== (until === undefined), {
    path: ['seconds'],
    message: 'Set exactly one of `seconds` and `until`.',
  })
export const NotifyStep = z.object({
  ...common,
  type: z.literal('notify'),
  message: Template.min(1, 'Write a message.'),
})
export const StopStep = z.object({
  ...common,
  type: z.literal('stop'),
  outcome: z.enum(['succeeded', 'failed']),
  message: Template.optional(),
})

type Common = { key: string; onFailure?: FailurePolicy | undefined }
export type ActionStep = z.infer<typeof ActionStep>
export type HttpStep = z.infer<typeof HttpStep>
export type BranchStep = Common & {
  type: 'branch'
  cases: { when: Condition; steps: Step[] }[]
  otherwise: Step[]
}
export type EachStep = Common & { type: 'each'; items: string; steps: Step[] }
export type WaitStep = z.infer<typeof WaitStep>
export type NotifyStep = z.infer<typeof NotifyStep>
export type StopStep = z.infer<typeof StopStep>

/** One step of a workflow. See docs/workflows.md. */
export type Step = ActionStep | HttpStep | BranchStep | EachStep | WaitStep | NotifyStep | StopStep
export type StepType = Step['type']

export const Step: z.ZodType<Step> = z.lazy(() =>
  z.discriminatedUnion('type', [ActionStep, HttpStep, BranchStep, EachStep, WaitStep, NotifyStep, StopStep]),
)

/** Matches events. Null matches any; a name that ends in `.*` matches every name with that prefix. */
export const WorkflowTrigger = z.object({
  type: z.literal(triggerType),
  connectionId: ConnectionId.nullable().default(null),
  eventName: EventName.nullable().default(null),
})
export type WorkflowTrigger = z.infer<typeof WorkflowTrigger>

/** Returns the step lists inside a step, each with the path to it. */
export function stepLists(step: Step): { steps: readonly Step[]; path: (string | number)[] }[] {
  if (step.type === 'each') return [{ steps: step.steps, path: ['steps'] }]
  if (step.type !== 'branch') return []
  return [
    ...step.cases.map(({ steps }, index) => ({ steps, path: ['cases', index, 'steps'] })),
    { steps: step.otherwise, path: ['otherwise'] },
  ]
}

/** A step with its place in the workflow. */
export type PlacedStep = {
  readonly step: Step
  readonly path: readonly (string | number)[]
  /** 1 for a step that is not inside another one. */
  readonly depth: number
}

/** Yields the steps of a workflow in order. A step inside a branch or a loop follows the branch or loop. */
export function* walkSteps(
  steps: readonly Step[],
  path: readonly (string | number)[] = ['steps'],
  depth = 1,
): Generator<PlacedStep> {
  for (const [index, step] of steps.entries()) {
    const here = [...path, index]
    yield { step, path: here, depth }
    for (const list of stepLists(step)) yield* walkSteps(list.steps, [...here, ...list.path], depth + 1)
  }
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

/** Returns whether there are more than `most` conditions in steps that were not checked yet. */
function hasMoreConditions(steps: unknown, most: number): boolean {
  const left: { readonly value: unknown; readonly isCondition: boolean }[] = []
  const add = (list: unknown, isCondition: boolean) => {
    if (Array.isArray(list)) for (const value of list) left.push({ value, isCondition })
  }
  add(steps, false)
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
export const WorkflowFields = z.object(workflowFields).superRefine(({ steps }, context) => {
  for (const issue of stepIssues(steps)) context.addIssue({ code: 'custom', ...issue })
})
export type WorkflowFields = z.infer<typeof WorkflowFields>

export const NewWorkflow = z.object({
  ...workflowFields,
  steps: withinLimits(workflowFields.steps.unwrap()).default([]),
  workspaceId: z.string().optional().describe('Left out: the default workspace.'),
})
export type NewWorkflow = z.output<typeof NewWorkflow>

const { enabled, trigger, steps, ordered, concurrency } = workflowFields
/** A change of a workflow. Omitted fields stay as they are, so no field has a default. */
export const WorkflowChange = z
  .object({
    name: Name,
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

/** An invalid reference in a workflow, for example to a missing action or an unknown variable. */
export const WorkflowIssue = z.object({
  stepKey: z.string().nullable().describe('Null for the trigger.'),
  path: z.string().describe('Path in the workflow. Segments are separated by dots.'),
  code: z.enum([
    'unknown_connection',
    'unknown_action',
    'unknown_argument',
    'missing_argument',
    'type_mismatch',
    'unknown_step',
    'unknown_variable',
    'invalid_variable',
    'invalid_time',
    'body_not_sent',
    'no_base_url',
    'connection_off',
    'action_off',
  ]),
  severity: z.enum(['error', 'warning']),
  message: z.string(),
  nearest: z.string().nullable().describe('The most similar valid name; null if none is similar.'),
})
export type WorkflowIssue = z.infer<typeof WorkflowIssue>

/** A workflow with its invalid references. */
export const CheckedWorkflow = Workflow.extend({ issues: z.array(WorkflowIssue) })
