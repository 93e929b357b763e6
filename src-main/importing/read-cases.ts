import { argumentIssues } from '#main/outbound/arguments.ts'
import { isObject, tryParseExact } from '#shared/json/exact-json.ts'
import type { JsonPath } from '#shared/json/locate.ts'
import { type CaseData, caseTooLong, maxCases, NewCase, storedCase } from '#shared/model/case.ts'
import type { SentParameter } from '#shared/model/parameter.ts'
import { keyProblems, type Problem, ProblemList, problem, warning, zodProblems } from './problem.ts'

const known = {
  case: new Set(['name', 'arguments', 'expect']),
  expect: new Set(['status', 'fields']),
  field: new Set(['path', 'rule', 'value']),
}

/**
 * Reads the cases of an action of a document.
 *
 * @param parameters of the action; null if it has problems of its own.
 */
export function readCases(
  value: unknown,
  path: JsonPath,
  parameters: readonly SentParameter[] | null,
): { cases: CaseData[]; problems: Problem[] } {
  if (!Array.isArray(value)) return { cases: [], problems: [problem(path, 'This must be an array.')] }
  if (value.length > maxCases.ofAction) {
    const message = `An action has at most ${maxCases.ofAction} cases, and this one has ${value.length}.`
    return { cases: [], problems: [problem(path, message)] }
  }
  const list = new ProblemList()
  const cases: CaseData[] = []
  const names = new Set<string>()
  for (const [index, one] of value.entries()) {
    const at = [...path, index]
    if (!isObject(one)) {
      list.addOne('error', () => problem(at, 'This must be an object.'))
      continue
    }
    const read = readCase(one, at)
    list.add(read.problems)
    if (read.data === null) continue
    const { name, argumentsText } = read.data
    if (names.has(name))
      list.addOne('error', () => problem([...at, 'name'], `${name} is the name of two cases.`))
    names.add(name)
    const [issue] =
      parameters === null ? [] : argumentIssues(parameters, Object(tryParseExact(argumentsText)))
    if (issue !== undefined)
      list.addOne('warning', () =>
        warning([...at, 'arguments'], `The case cannot be called. ${issue.message}`),
      )
    cases.push(read.data)
  }
  return { cases, problems: list.all() }
}

function readCase(
  value: Record<string, unknown>,
  path: JsonPath,
): { data: CaseData | null; problems: Problem[] } {
  const problems = keyProblems(value, path, known.case)
  const { name, expect } = value
  const own: Record<string, unknown> = { name, arguments: value.arguments, expect }
  if (isObject(expect)) {
    problems.push(...keyProblems(expect, [...path, 'expect'], known.expect))
    const { status, fields } = expect
    own.expect = { status, fields: Array.isArray(fields) ? fields.map(readField) : fields }
    if (Array.isArray(fields))
      for (const [index, field] of fields.entries())
        if (isObject(field))
          problems.push(...keyProblems(field, [...path, 'expect', 'fields', index], known.field))
  }
  const { data, error } = NewCase.safeParse(own)
  if (error !== undefined) return { data: null, problems: [...problems, ...zodProblems(error, path)] }
  // The parsed object, because a copy would lose a key such as `__proto__`.
  const stored = storedCase({ ...data, ...(isObject(value.arguments) && { arguments: value.arguments }) })
  const long = caseTooLong(stored)
  if (long === null) return { data: stored, problems }
  return { data: null, problems: [...problems, problem([...path, ...long.path.split('.')], long.message)] }
}

/** Returns the fields of a rule that a document may have. */
function readField(field: unknown): unknown {
  if (!isObject(field)) return field
  const { path, rule, value } = field
  return { path, rule, value }
}
