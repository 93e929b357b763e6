import { z } from 'zod'
import { Operator } from '#shared/model/workflow.ts'
import type { Evaluated } from '#shared/workflows/conditions.ts'
import { textOf } from '#shared/workflows/templates.ts'

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

const verbs: Readonly<Record<Operator, readonly [holds: string, fails: string]>> = {
  equals: ['is', 'is not'],
  not_equals: ['is not', 'is'],
  contains: ['contains', 'does not contain'],
  starts_with: ['begins with', 'does not begin with'],
  greater: ['is above', 'is not above'],
  less: ['is below', 'is not below'],
  exists: ['is there', 'is missing'],
  not_exists: ['is missing', 'is there'],
}

/** In characters: a row has room for one line. */
const longestValue = 40

function valueWord(value: unknown): string {
  const text = textOf(value)
  if (text === '') return 'nothing'
  return text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text
}

/** Returns what a condition found: “214.5 is not above 500”. */
export function conditionWords(condition: Evaluated): string {
  if ('operator' in condition) {
    const { holds, value, operator, operand } = condition
    const verb = verbs[operator][holds ? 0 : 1]
    if (operator === 'exists' || operator === 'not_exists') return `the value ${verb}`
    return `${valueWord(value)} ${verb} ${valueWord(operand)}`
  }
  // Only the last part of those that were evaluated decided, unless all had to.
  const parts = 'all' in condition ? condition.all : condition.any
  const decisive = 'all' in condition === condition.holds ? parts : parts.slice(-1)
  return decisive.map(conditionWords).join(' and ')
}

/**
 * Returns why a branch went where it did: “Otherwise: 214.5 is not above 500”.
 *
 * @param input the evaluated conditions, as the branch's attempt keeps them.
 * @param chosen index of the case; null for none.
 * @returns null if the conditions are not kept.
 */
export function branchWords(input: unknown, chosen: number | null): string | null {
  const parsed = EvaluatedConditions.safeParse(input)
  if (!parsed.success) return null
  const way = chosen === null ? 'Otherwise' : `Case ${chosen + 1}`
  const decisive = chosen === null ? parsed.data : parsed.data.slice(-1)
  return `${way}: ${decisive.map(conditionWords).join(', and ')}`
}
