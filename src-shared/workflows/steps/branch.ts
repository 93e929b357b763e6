import { z } from 'zod'
import { Condition } from '#shared/model/condition.ts'
import type { WorkflowIssue } from '#shared/model/workflow-issue.ts'
import { timeProblem } from '#shared/time.ts'
import { evaluate } from '../conditions.ts'
import {
  type ChangeList,
  decided,
  type Path,
  type PlacedText,
  type StepFields,
  type StepKind,
  selfContained,
  stepFields,
  textsIn,
} from './step-kind.ts'

const maxCases = 20

export interface BranchStep<Step> extends StepFields {
  type: 'branch'
  cases: { when: Condition; steps: Step[] }[]
  otherwise: Step[]
}

const caseOf = <Step>(steps: z.ZodType<Step[]>) => z.object({ when: Condition, steps })

const schema = <Step>(steps: z.ZodType<Step[]>) =>
  z.object({
    ...stepFields,
    type: z.literal('branch'),
    cases: z.array(caseOf(steps)).min(1, 'A branch has at least one case.').max(maxCases),
    otherwise: steps.default([]),
  })

function change<From, To>(step: BranchStep<From>, change: ChangeList<From, To>): BranchStep<To> {
  return {
    ...step,
    cases: step.cases.map(({ when, steps }, index) => ({
      when,
      steps: change(steps, ['cases', index, 'steps']),
    })),
    otherwise: change(step.otherwise, ['otherwise']),
  }
}

/** Runs the steps of the first case whose condition is true. */
export const branch = <Step, Document>(): StepKind<
  BranchStep<Step>,
  never,
  BranchStep<Document>,
  Step,
  Document
> => ({
  ...selfContained,
  does: 'decide',
  schema,
  document: {
    // How many cases it has is checked with the whole workflow.
    schema: steps => schema(steps).extend({ cases: z.array(caseOf(steps)) }),
    write: change,
    read: change,
  },
  inside: {
    lists: ({ cases, otherwise }) => [
      ...cases.map(({ steps }, index) => ({ steps, path: ['cases', index, 'steps'] })),
      { steps: otherwise, path: ['otherwise'] },
    ],
    change,
    itemsOf: () => null,
  },
  texts: ({ cases }) => cases.flatMap(({ when }, index) => conditionTexts(when, ['cases', index, 'when'])),
  check({ cases }, { add, isFull }) {
    for (const [index, { when }] of cases.entries())
      for (const { code, path, message, nearest } of conditionProblems(when, ['cases', index, 'when'])) {
        if (isFull()) return
        add('warning', code, path, message, nearest)
      }
  },
  prepare({ cases, otherwise }, render) {
    const input = []
    for (const [index, { when, steps }] of cases.entries()) {
      const condition = evaluate(when, render)
      input.push(condition)
      if (condition.holds) return { input, effect: decided({ case: index }), next: { steps } }
    }
    return { input, effect: decided({ case: null }), next: { steps: otherwise } }
  },
})

type ConditionProblem = Pick<WorkflowIssue, 'code' | 'message' | 'nearest'> & { readonly path: Path }

/** A name of a field without its braces. */
const fieldName = /^[a-z_][\w.-]*$/i

/** Yields the comparisons without variables, and the times that cannot be read, each with its path. */
export function* conditionProblems(condition: Condition, path: Path): Generator<ConditionProblem> {
  if ('operator' in condition) {
    const { value, operator, operand } = condition
    const isOrdered = operator === 'greater' || operator === 'less'
    const problem = isOrdered && typeof operand === 'string' ? timeProblem(operand) : null
    if (problem !== null)
      yield {
        code: 'invalid_time',
        path: [...path, 'operand'],
        message: `${problem} It is compared as a text.`,
        nearest: null,
      }
    // A value that is still empty is not written yet.
    if (value !== '' && !conditionTexts(condition, path).some(({ text }) => text.includes('{{')))
      yield {
        code: 'constant_condition',
        path: [...path, 'value'],
        message: 'A comparison without a variable has the same result each time.',
        nearest: fieldName.test(value) ? `{{${value}}}` : null,
      }
    return
  }
  const [name, parts] = 'all' in condition ? ['all', condition.all] : ['any', condition.any]
  for (const [index, part] of parts.entries()) yield* conditionProblems(part, [...path, name, index])
}

/** Returns the texts of a condition that may hold variables. */
export function conditionTexts(condition: Condition, path: Path): PlacedText[] {
  if ('operator' in condition) return textsIn({ value: condition.value, operand: condition.operand }, path)
  const [name, parts] = 'all' in condition ? ['all', condition.all] : ['any', condition.any]
  return parts.flatMap((part, index) => conditionTexts(part, [...path, name, index]))
}
