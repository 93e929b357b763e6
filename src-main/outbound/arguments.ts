import { valueOfText } from '#shared/json/value-of-text.ts'
import { type Budget, createValueCheck, newBudget } from '#shared/json-schema/check-value.ts'
import type { CallArguments, ConvertedArgument } from '#shared/model/call.ts'
import type { Issue } from '#shared/model/issue.ts'
import { inputsOf, type SentParameter } from '#shared/model/parameter.ts'
import { type CheckOf, valueProblems } from '#shared/request/value-problems.ts'
import { matchesInTime } from './match-in-time.ts'

export type Arguments = Readonly<Record<string, unknown>>

/** A language model can invent any number of arguments, with names of any length. */
const maxIssues = 100

/**
 * Returns the first 100 issues of a call's arguments; none if they are valid. Coerces nothing: `"5"` is not a number, but an exact
 * number is. An argument that is `undefined` counts as missing, and so does null for an optional parameter, which many
 * clients and models send. Ignores inherited fields. A parameter's own schema decides what is valid.
 */
export function argumentIssues(parameters: readonly SentParameter[], given: Arguments): Issue[] {
  const issues: Issue[] = []
  const inputs = inputsOf(parameters)
  const budget = newBudget()
  let known = 0
  for (const parameter of inputs) {
    const { name, required } = parameter
    const there = Object.hasOwn(given, name)
    if (there) known++
    const value = there ? given[name] : undefined
    if (value === undefined) {
      if (required) issues.push({ path: name, message: `${name} is required.` })
    } else if (required || value !== null) {
      for (const { path, message } of valueProblems(parameter, value, checkOf, budget)) {
        const at = [name, ...path].map(step => shortened(String(step))).join('.')
        issues.push({ path: at, message: `${at} ${message}` })
      }
    }
    if (issues.length >= maxIssues) return issues.slice(0, maxIssues)
  }
  const names = Object.keys(given)
  if (names.length === known) return issues
  const declared = new Set(inputs.map(({ name }) => name))
  for (const name of names) {
    if (declared.has(name)) continue
    const path = shortened(name)
    issues.push({ path, message: `The action has no parameter ${JSON.stringify(path)}.` })
    if (issues.length === maxIssues) break
  }
  return issues
}

/** Arguments as a call takes them. */
export type TakenArguments = {
  readonly given: CallArguments
  /** Those that were taken as another value than the text that was given; none for most calls. */
  readonly converted: readonly ConvertedArgument[]
}

/**
 * Returns arguments in which a text that its parameter does not accept is replaced by the number, boolean, list or object
 * whose JSON it is exactly, if the parameter accepts that or refuses only more than its type, such as a number that is
 * too large. Leaves out an empty text for an optional parameter of another
 * type. Models and templates write such texts. Does not look inside lists and objects.
 *
 * @param hasSecret tells the arguments with secrets. They do not become lists or objects, because a part of a secret is
 *   not recognized in a response.
 */
export function takenArguments(
  parameters: readonly SentParameter[],
  given: CallArguments,
  hasSecret: (name: string) => boolean = () => false,
): TakenArguments {
  const budget = newBudget()
  const converted: ConvertedArgument[] = []
  let taken = given
  for (const parameter of inputsOf(parameters)) {
    const { name } = parameter
    const text = Object.hasOwn(given, name) ? given[name] : undefined
    if (typeof text !== 'string') continue
    const one = conversionOf(parameter, text, budget)
    if (one === null || (isObjectLike(one) && hasSecret(name))) continue
    if (taken === given) taken = { ...given }
    if (one.as === null) delete taken[name]
    else taken[name] = one.value
    converted.push({ name, as: one.as })
  }
  return { given: taken, converted }
}

const isObjectLike = ({ as }: NonNullable<Conversion>) => as === 'list' || as === 'object'

type Conversion = { readonly as: null } | ReturnType<typeof valueOfText>

/** Returns what a text is taken as; null for the text itself. */
function conversionOf(parameter: SentParameter, text: string, budget: Budget): Conversion {
  const accepts = (value: unknown, by = parameter) => valueProblems(by, value, checkOf, budget).length === 0
  if (text === '') {
    const isText = parameter.isList !== true && parameter.type === 'string'
    return isText || parameter.required || accepts(text) ? null : { as: null }
  }
  const found = valueOfText(text)
  if (found === null || accepts(text)) return null
  if (accepts(found.value)) return found
  const typed = withTypeAlone(parameter)
  return !accepts(text, typed) && accepts(found.value, typed) ? found : null
}

/** Returns a parameter whose schema asks for the same type, and nothing else. */
function withTypeAlone(parameter: SentParameter): SentParameter {
  const type = parameter.schema?.type
  return { ...parameter, schema: parameter.schema && (type === undefined ? {} : { type }) }
}

const checks = new WeakMap<object, ReturnType<CheckOf>>()

/** Returns the check of a schema, which is immutable, as its action is. */
const checkOf: CheckOf = schema => {
  const known = checks.get(schema) ?? createValueCheck(schema, matchesInTime)
  checks.set(schema, known)
  return known
}

function shortened(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name
}
