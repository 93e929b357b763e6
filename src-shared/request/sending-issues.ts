import { createValueCheck, newBudget } from '../json-schema/check-value.ts'
import { matchesIfQuick } from '../json-schema/quick-patterns.ts'
import { schemaProblems } from '../json-schema/schema-problems.ts'
import { headerNameProblem } from '../model/action-headers.ts'
import { openPlaceholderProblem } from '../model/action-path.ts'
import { takesQuery } from '../model/action-url.ts'
import { isConstant, type ParameterPlace, type SentParameter, wireNameOf } from '../model/parameter.ts'
import { fieldsOf, headerText, pathText, places } from './places.ts'
import { Unwritable } from './styles.ts'
import { valueProblems } from './value-problems.ts'
import {
  bodyFormOf,
  contentTypeOf,
  hasSendingFields,
  placeholder,
  placeOf,
  type SendingAction,
  splitPath,
} from './write-request.ts'

type Found = { path: (string | number)[]; message: string }

/** Headers that a parameter cannot set, beside those that no header of an action can. */
const notOfParameters = new Set(['authorization', 'content-type', 'cookie'])

/**
 * Returns the problems of where and how the parameters of an action are sent. A placeholder that no parameter fills is
 * one, also in an action without any of the fields of `sendingFields`.
 */
export function sendingIssues(action: SendingAction): Found[] {
  const issues: Found[] = []
  const { pathname, query } = splitPath(action.path)
  const inPath = new Set<string>()
  /** The names of arguments by what they are sent as. */
  const seen = new Map<string, string>()
  const used = new Set(Array.from(pathname.matchAll(placeholder), ([, name]) => name))
  action.parameters.forEach((parameter, index) => {
    const place = placeOf(parameter, action)
    const wireName = wireNameOf(parameter)
    const add = (field: string, message: string) =>
      issues.push({ path: ['parameters', index, field], message })
    const named = parameter.wireName === undefined ? 'name' : 'wireName'
    const key = `${place} ${place === 'header' ? wireName.toLowerCase() : wireName}`
    // The same name twice has an issue of its own.
    const isOwn = parameter.in !== undefined || parameter.wireName !== undefined
    if (seen.has(key) && (isOwn || seen.get(key) !== parameter.name))
      add(named, `Another parameter is sent as ${wireName} in the same place.`)
    seen.set(key, parameter.name)
    if (place === 'path') {
      inPath.add(wireName)
      if (!used.has(wireName)) add(named, `The path has no placeholder {${wireName}}.`)
      if (!parameter.required && !isConstant(parameter))
        add('required', 'A parameter of the path is required: without it there is no path.')
    }
    if (place === 'header') {
      const problem = notOfParameters.has(wireName.toLowerCase())
        ? `A parameter cannot set the header ${wireName}.`
        : headerNameProblem(wireName)
      if (problem !== null) add(named, problem)
    }
    const problem = placeProblem(action, parameter, place)
    if (problem !== null) add(problem.field, problem.message)
  })
  const rest = pathname.replace(placeholder, (source, name: string) => (inPath.has(name) ? 'x' : source))
  const open = openPlaceholderProblem(rest + query)
  if (open !== null) issues.push({ path: ['path'], message: open })
  return [...issues, ...bodyIssues(action)]
}

function placeProblem(
  action: SendingAction,
  parameter: SentParameter,
  place: ParameterPlace,
): { readonly field: string; readonly message: string } | null {
  const { style, value } = parameter
  const isBody = place === 'body' || place === 'entireBody'
  if (isBody && parameter.in !== undefined && takesQuery(action.method))
    return { field: 'in', message: 'A GET has no body.' }
  if (isBody && parameter.in !== undefined && action.sendsBody === false)
    return { field: 'in', message: 'The calls of this action have no body ("sendsBody": false).' }
  const where = isBody ? 'form' : place
  if (style !== undefined && !places[where].takes.includes(style))
    return {
      field: 'style',
      message: `A ${place} cannot be written as ${style}. Use ${places[where].takes.join(', ')}.`,
    }
  if (!isConstant(parameter)) return null
  const refused = value === null ? null : constantProblem(parameter)
  if (refused !== null) return { field: 'value', message: `The value ${refused}` }
  if (isBody) return null
  try {
    if (where === 'path') pathText(parameter, value)
    else if (where === 'header') headerText(parameter, value)
    else fieldsOf(parameter, value, where)
    return null
  } catch (error) {
    if (!(error instanceof Unwritable)) throw error
    return { field: 'value', message: `The value ${error.message}` }
  }
}

/** Returns why a constant is not a value of its parameter, to be read after “The value”; null if it is one. */
function constantProblem(parameter: SentParameter): string | null {
  const { value, isList, schema } = parameter
  // A schema with problems has issues of its own, but a list must be one.
  const isChecked = schema !== undefined && schemaProblems(schema).length === 0
  const check = isChecked ? createValueCheck(schema, matchesIfQuick) : () => []
  const [problem] = valueProblems(parameter, value, () => check, newBudget())
  if (problem === undefined) return null
  const path = isList === true ? problem.path.slice(1) : problem.path
  return (path.length === 0 ? '' : `at ${path.join('.')} `) + problem.message
}

function bodyIssues(action: SendingAction): Found[] {
  const entire = action.parameters.findIndex(one => one.in === 'entireBody')
  const others = action.parameters.flatMap((one, index) =>
    index !== entire && ['body', 'entireBody'].includes(placeOf(one, action)) ? [index] : [],
  )
  const form = bodyFormOf(contentTypeOf(action))
  const extended = hasSendingFields(action)
  if (entire !== -1) {
    const { type, isList } = action.parameters[entire] ?? {}
    const isText = type === 'string' && isList !== true
    return [
      ...others.map(index => ({
        path: ['parameters', index, 'in'],
        message: 'Another parameter is the entire body.',
      })),
      ...(form === 'json' || isText
        ? []
        : [
            {
              path: ['parameters', entire, 'type'],
              message: 'The entire body of this Content-Type is a text.',
            },
          ]),
    ]
  }
  if (form !== 'other' || !extended) return []
  return others.map(index => ({
    path: ['parameters', index, 'in'],
    message: `A body of the Content-Type ${contentTypeOf(action)} is one text: a parameter with "in": "entireBody".`,
  }))
}
