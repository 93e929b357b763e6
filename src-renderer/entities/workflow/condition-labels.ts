import { z } from 'zod'
import { type Condition, Operator, takesOperand } from '#shared/model/condition.ts'
import type { Evaluated } from '#shared/workflows/conditions.ts'
import { textOf } from '#shared/workflows/templates.ts'

export const operatorLabels: Readonly<Record<Operator, string>> = {
  equals: 'is',
  not_equals: 'is not',
  contains: 'contains',
  starts_with: 'starts with',
  greater: 'is greater than',
  less: 'is less than',
  exists: 'has a value',
  not_exists: 'has no value',
}

/** Returns a condition as one sentence with its variables in braces. */
export function conditionText(condition: Condition): string {
  if ('all' in condition) return condition.all.map(inner).join(' and ')
  if ('any' in condition) return condition.any.map(inner).join(' or ')
  const { value, operator, operand } = condition
  const compared =
    operand === undefined ? '' : ` ${typeof operand === 'string' ? operand : JSON.stringify(operand)}`
  return `${value} ${operatorLabels[operator]}${compared}`
}

function inner(condition: Condition): string {
  const isGroup =
    ('all' in condition && condition.all.length > 1) || ('any' in condition && condition.any.length > 1)
  return isGroup ? `(${conditionText(condition)})` : conditionText(condition)
}

const EvaluatedCondition: z.ZodType<Evaluated> = z.lazy(() =>
  z.union([
    z.object({
      holds: z.boolean(),
      value: z.unknown(),
      operator: Operator,
      operand: z.unknown().optional(),
    }),
    z.object({ holds: z.boolean(), all: z.array(EvaluatedCondition) }),
    z.object({ holds: z.boolean(), any: z.array(EvaluatedCondition) }),
  ]),
)
const EvaluatedConditions = z.array(EvaluatedCondition)

const negated: Readonly<Record<Operator, string>> = {
  equals: 'is not',
  not_equals: 'is',
  contains: 'does not contain',
  starts_with: 'does not start with',
  greater: 'is not greater than',
  less: 'is not less than',
  exists: 'has no value',
  not_exists: 'has a value',
}

/** In characters: a row has room for one line. */
const longestValue = 40

function valueLabel(value: unknown): string {
  const text = textOf(value)
  if (text === '') return 'nothing'
  return text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text
}

/** Returns what a condition found: “214.5 is not greater than 500”. */
function conditionLabel(condition: Evaluated): string {
  if ('operator' in condition) {
    const { holds, value, operator, operand } = condition
    const verb = (holds ? operatorLabels : negated)[operator]
    if (!takesOperand(operator)) return `the variable ${verb}`
    return `${valueLabel(value)} ${verb} ${valueLabel(operand)}`
  }
  // Only the last part of those that were evaluated decided, unless all had to.
  const parts = 'all' in condition ? condition.all : condition.any
  const decisive = 'all' in condition === condition.holds ? parts : parts.slice(-1)
  return decisive.map(conditionLabel).join(' and ')
}

/**
 * Returns why a branch went where it did: “Otherwise: 214.5 is not greater than 500”.
 *
 * @param input the evaluated conditions, as the branch's attempt keeps them.
 * @param chosen index of the case; null for none.
 * @param hasOneCase whether the branch has a single case, which has no number.
 */
export function branchLabel(input: unknown, chosen: number | null, hasOneCase: boolean): string {
  const way = chosen === null ? 'Otherwise' : hasOneCase ? 'If' : `Case ${chosen + 1}`
  const parsed = EvaluatedConditions.safeParse(input)
  if (!parsed.success) return way
  const decisive = chosen === null ? parsed.data : parsed.data.slice(-1)
  return `${way}: ${decisive.map(conditionLabel).join(', and ')}`
}
