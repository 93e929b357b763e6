import { z } from 'zod'
import { type ActionStep, action, type DocumentAction } from './action.ts'
import { type BranchStep, branch } from './branch.ts'
import { type EachStep, each } from './each.ts'
import { type DocumentHttp, type HttpStep, http } from './http.ts'
import { type NotifyStep, notify } from './notify.ts'
import { type SetStep, set } from './set.ts'
import type { Path, StepKind, StepList } from './step-kind.ts'
import { type StopStep, stop } from './stop.ts'
import { type WaitStep, wait } from './wait.ts'

export const maxSteps = 100

/** One step of a workflow. See docs/workflows.md. */
export type Step =
  | ActionStep
  | HttpStep
  | SetStep
  | BranchStep<Step>
  | EachStep<Step>
  | WaitStep
  | NotifyStep
  | StopStep
export type StepType = Step['type']

/** A step of a workflow that names connections instead of their ids. */
export type DocumentStep =
  | DocumentAction
  | DocumentHttp
  | SetStep
  | BranchStep<DocumentStep>
  | EachStep<DocumentStep>
  | WaitStep
  | NotifyStep
  | StopStep

/** All types of steps. */
const stepKinds = {
  action,
  http,
  set,
  branch: branch<Step, DocumentStep>(),
  each: each<Step, DocumentStep>(),
  wait,
  notify,
  stop,
} satisfies {
  [Type in StepType]: StepKind<
    Extract<Step, { type: Type }>,
    unknown,
    Extract<DocumentStep, { type: Type }>,
    Step,
    DocumentStep
  >
}

/** The work of a step, with every template replaced. */
export type Effect = ReturnType<(typeof stepKinds)[StepType]['prepare']>['effect']

type AnyKind = StepKind<Step, Effect, DocumentStep, Step, DocumentStep>
// The methods of a kind take steps of its type, and are called with no others.
const kinds: Readonly<Record<StepType, AnyKind>> = stepKinds

/** Returns the kind of a step. */
export function kindOf({ type }: Pick<Step, 'type'>): AnyKind {
  return kinds[type]
}

/** In the order of menus. */
export const stepTypes = Object.keys(stepKinds).filter(isStepType)

/** Returns whether a text, such as the type of a stored step, is a type of this version. */
export function isStepType(text: string): text is StepType {
  return Object.hasOwn(stepKinds, text)
}

/** Returns what a stored step does; null for a type that this version does not have. */
export function doesOf(type: string): AnyKind['does'] | null {
  return isStepType(type) ? kinds[type].does : null
}

const { action: firstKind, ...otherKinds } = kinds

const Steps = z.lazy(() => z.array(Step).max(maxSteps))
export const Step: z.ZodType<Step> = z.lazy(() =>
  z.discriminatedUnion('type', [
    firstKind.schema(Steps),
    ...Object.values(otherKinds).map(kind => kind.schema(Steps)),
  ]),
)

const DocumentSteps = z.lazy(() => z.array(DocumentStep).max(maxSteps))
export const DocumentStep: z.ZodType<DocumentStep> = z.lazy(() =>
  z.discriminatedUnion('type', [
    firstKind.document.schema(DocumentSteps),
    ...Object.values(otherKinds).map(({ document }) => document.schema(DocumentSteps)),
  ]),
)

/** Returns the step lists inside a step, each with the path to it. */
export function stepLists(step: Step): StepList<Step>[] {
  return kindOf(step).inside?.lists(step) ?? []
}

/** A step with its place in the workflow. */
export type PlacedStep = {
  readonly step: Step
  readonly path: Path
  /** 1 for a step that is not inside another one. */
  readonly depth: number
}

/** Yields the steps of a workflow in order. A step inside a branch or a loop follows the branch or loop. */
export function* walkSteps(steps: readonly Step[], path: Path = ['steps'], depth = 1): Generator<PlacedStep> {
  for (const [index, step] of steps.entries()) {
    const here = [...path, index]
    yield { step, path: here, depth }
    for (const list of stepLists(step)) yield* walkSteps(list.steps, [...here, ...list.path], depth + 1)
  }
}
