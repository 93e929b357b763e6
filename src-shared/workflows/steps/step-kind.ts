import { z } from 'zod'
import type { CallErrorCode } from '#shared/errors/call.ts'
import type { RunErrorCode } from '#shared/errors/run.ts'
import { isObject } from '#shared/json/exact-json.ts'
import type { ActionFields } from '#shared/model/action.ts'
import type { JsonType } from '#shared/model/parameter.ts'
import type { WorkflowIssue } from '#shared/model/workflow-issue.ts'
import type { Renderer } from '../renderer.ts'

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

/** Whether neither input nor output of a step is kept, and its output is masked wherever its run shows it. */
export const PrivateStep = z
  .literal(true)
  .describe('Neither input nor output is kept. The output is masked wherever the run shows it.')

/** The fields that steps of all types have. */
export const stepFields = {
  key: StepKey,
  onFailure: FailurePolicy.optional(),
  private: PrivateStep.optional(),
}
export type StepFields = { key: string; onFailure?: FailurePolicy | undefined; private?: true | undefined }

/** A connection in a document: its name, or its id where the name is not unique in the workspace. */
export const ConnectionName = z.string().min(1, 'Name a connection.')

/** The path of a step, a field or a list in a workflow, or in a step. */
export type Path = readonly (string | number)[]

/** A list of steps inside a step, and the path to it in that step. */
export type StepList<Step> = { readonly steps: readonly Step[]; readonly path: Path }

/** Returns the steps that take the place of a list of steps. */
export type ChangeList<From, To> = (steps: readonly From[], path: Path) => To[]

/** A text of a step that may hold variables: a template, the value of a header, or the name of a field. */
export type PlacedText = {
  readonly text: string
  readonly path: Path
  readonly as: 'template' | 'header' | 'name'
}

export type StepError = { readonly code: string; readonly message: string }

/** How a run ends. */
export type End =
  | { readonly status: 'succeeded'; readonly error: null }
  | { readonly status: 'failed'; readonly error: StepError }

/** The step only has to be recorded, because it has no effect outside the run. */
type Decided = {
  readonly kind: 'decided'
  readonly output: unknown
  /** The output as it is shown; absent if that is as it is. */
  readonly shown?: unknown
}
/** The step cannot be carried out, which only has to be recorded. */
type Failed = { readonly kind: 'failed'; readonly error: StepError }

/** The work of a step, with every template replaced. */
export type Prepared<Effect, Step> = {
  readonly effect: Effect | Decided | Failed
  /** As it is shown: with masks for private values. */
  readonly input: unknown
  /** The steps inside it that follow: once, or once for each item. */
  readonly next?: {
    readonly steps: readonly Step[]
    readonly items?: readonly unknown[]
    /** The items as they are shown: a list, or a mask for all; absent if they are shown as they are. */
    readonly shownItems?: unknown
  }
  /** Set if the step ends the run. */
  readonly end?: End
}

type StepSchema<Step> = z.ZodType<Step> & z.core.$ZodTypeDiscriminable

/** The actions of a connection; null while they are not known. */
export type ActionsOf<Action = Pick<ActionFields, 'toolName' | 'responseMapping'>> = (
  connectionId: string,
) => readonly Action[] | null

/**
 * Everything that the service knows of a type of step. `Own` is a step of the type, `Effect` what it does outside the run,
 * and `Written` the step in a document. `Step` and `Document` are the steps inside the two.
 */
export type StepKind<Own, Effect = never, Written = Own, Step = never, Document = never> = {
  /** Its effect besides deciding how the run goes on. A step that calls has an idempotency key. */
  readonly does: 'decide' | 'wait' | 'call' | 'notify'
  /** Whether its texts can insert environment variables with `$env`. */
  readonly takesSecrets: boolean
  schema(steps: z.ZodType<Step[]>): StepSchema<Own>
  /** The form that it has in a document, which names connections instead of their ids. */
  readonly document: {
    schema(steps: z.ZodType<Document[]>): StepSchema<Written>
    write(step: Own, change: ChangeList<Step, Document>, nameOf: (connectionId: string) => string): Written
    /** @param idOf is given the path of the name, for its problems. */
    read(step: Written, change: ChangeList<Document, Step>, idOf: (name: string, path: Path) => string): Own
  }
  /** The steps inside it; null for a type without any. */
  readonly inside: {
    lists(step: Own): StepList<Step>[]
    change(step: Own, change: ChangeList<Step, Step>): Own
    /** Returns the template of the list that its steps run once for each item of; null if they run once. */
    itemsOf(step: Own): string | null
  } | null
  /** Returns its texts that may hold variables. The steps inside it have their own. */
  texts(step: Own): PlacedText[]
  /** Returns the connections that it needs, each with the action that it calls there. */
  uses(step: Own): { readonly connectionId: string; readonly toolName: string | null }[]
  /** Returns the host that it calls, or those that it may call; null for none. */
  sendsTo(step: Own, baseUrlOf: (connectionId: string) => string | null): string | null
  /** Adds what is wrong with a step besides its variables. */
  check(step: Own, context: CheckContext): void
  /** Returns the names of its output; null where they are not known before it runs. */
  outputNames(step: Own, actionsOf: ActionsOf): readonly string[] | null
  /** @throws InvalidVariable, MissingValue and RenderedTooLarge, after which the step fails. */
  prepare(step: Own, render: Renderer): Prepared<Effect, Step>
}

/** The parts of a kind that needs no connection. */
export const selfContained = {
  takesSecrets: false,
  sendsTo: () => null,
  uses: () => [],
  check: () => {},
  outputNames: () => null,
}

/** The same of a kind without steps inside it. */
export function simple<Schema extends z.ZodType>(schema: Schema) {
  type Own = z.output<Schema>
  return {
    ...selfContained,
    schema: () => schema,
    document: { schema: () => schema, write: (step: Own) => step, read: (step: Own) => step },
    inside: null,
  }
}

/** The parts of a connection that workflows can refer to. */
export type KnownConnection = {
  readonly name: string
  readonly enabled: boolean
  readonly baseUrl: string | null
  readonly actions: readonly Pick<ActionFields, 'toolName' | 'isEnabled' | 'parameters' | 'responseMapping'>[]
}

/** The facts that the check of a step knows, and where it adds its issues. */
export type CheckContext = {
  readonly connections: ReadonlyMap<string, KnownConnection>
  /** Returns the types that a value with variables may be taken as, its own first; null where they are not known. */
  readonly typesGiven: (value: unknown) => readonly JsonType[] | null
  /** Whether there are so many issues that only the connections and actions of steps are checked. */
  readonly isFull: () => boolean
  /** @param path in the step. */
  readonly add: (
    severity: WorkflowIssue['severity'],
    code: WorkflowIssue['code'],
    path: Path,
    message: string,
    nearest?: string | null,
  ) => void
}

/** Returns the texts of a JSON value with variables, each with its path. A name that looks like a template is one too. */
export function textsIn(value: unknown, path: Path = []): PlacedText[] {
  if (typeof value === 'string') return [{ text: value, path, as: 'template' }]
  if (Array.isArray(value)) return value.flatMap((part, index) => textsIn(part, [...path, index]))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, part]): PlacedText[] => {
    const at = [...path, name]
    return name.includes('{{') ? [{ text: name, path: at, as: 'name' }] : textsIn(part, at)
  })
}

export function decided(output: unknown): Decided {
  return { kind: 'decided', output }
}

/** Returns a step that fails instead of being carried out. */
export function impossible(input: unknown, code: RunErrorCode | CallErrorCode, message: string) {
  return { input, effect: { kind: 'failed', error: { code, message } } } as const
}

/** Returns the end of a run that has failed. */
export function failed(code: RunErrorCode, message: string): End {
  return { status: 'failed', error: { code, message } }
}
