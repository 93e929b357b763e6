import { isDeeperThan, maxDepth } from '../json/depth.ts'
import type { Budget, createValueCheck, ValueProblem } from '../json-schema/check-value.ts'
import type { SentParameter } from '../model/parameter.ts'
import { parameterKinds } from '../model/parameter-kinds.ts'

type Schema = NonNullable<SentParameter['schema']>

/** Returns the check of a schema that has no problems. */
export type CheckOf = (schema: Schema) => ReturnType<typeof createValueCheck>

/** One value can have many. */
const maxProblems = 100

/** Returns the first problems of a parameter's value, which is a list of such values for `isList`. */
export function valueProblems(
  parameter: Pick<SentParameter, 'type' | 'isList' | 'schema'>,
  value: unknown,
  checkOf: CheckOf,
  budget: Budget,
): ValueProblem[] {
  if (parameter.isList !== true) return elementProblems(parameter, value, checkOf, budget)
  if (!Array.isArray(value)) return whole('must be a list.')
  const problems: ValueProblem[] = []
  for (const [index, one] of value.entries()) {
    for (const { path, message } of elementProblems(parameter, one, checkOf, budget))
      problems.push({ path: [index, ...path], message })
    if (problems.length >= maxProblems) break
  }
  return problems
}

function elementProblems(
  { schema, type }: Pick<SentParameter, 'type' | 'schema'>,
  value: unknown,
  checkOf: CheckOf,
  budget: Budget,
): ValueProblem[] {
  if (schema === undefined) {
    const message = parameterKinds[type].problem(value)
    return message === null ? [] : whole(message)
  }
  return isDeeperThan(value, maxDepth)
    ? whole(`is nested deeper than ${maxDepth} levels.`)
    : checkOf(schema)(value, budget)
}

const whole = (message: string): ValueProblem[] => [{ path: [], message }]
