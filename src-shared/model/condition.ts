import { z } from 'zod'
import { nestedTooDeep } from './issue.ts'
import { Template, TemplatedJson } from './template.ts'

const maxConditionParts = 50
/** How deep `all` and `any` can be nested. */
export const maxConditionDepth = 20

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

/** Returns a field of a value that was not checked yet. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
