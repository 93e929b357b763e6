import type { JsonPath } from '#shared/json/locate.ts'
import type { ActionFields } from '#shared/model/action.ts'
import { pathProblems, withOneSlash } from '#shared/model/action-path.ts'
import { takesQuery } from '#shared/model/action-url.ts'
import { type ConnectionAuth, hasHeader } from '#shared/model/connection-auth.ts'
import type { LeftOutReason } from '#shared/model/import-operation.ts'
import { Method } from '#shared/model/method.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { type Constants, openPath, placeholdersIn } from '#shared/model/placeholders.ts'
import { bodyFormOf, contentTypeOf, placeOf } from '#shared/request/write-request.ts'
import type { SourceOperation } from '../operation.ts'
import { ActionEntry } from '../validate-document.ts'
import { field, listField, type Resolve, textField } from './json-value.ts'
import {
  argumentOf,
  declaredParameters,
  type Inputs,
  type LeftOut,
  pathParameter,
  readParameters,
} from './parameters.ts'
import { readRequestBody } from './request-body.ts'
import type { Schemas } from './schemas.ts'
import type { Security } from './security.ts'
import { cut, mergeHeaders } from './texts.ts'

export type Operation = {
  readonly method: string
  readonly path: string
  readonly item: { readonly value: unknown; readonly path: JsonPath }
  readonly operation: { readonly value: unknown; readonly path: JsonPath }
  /** Parts that its format has, but OpenAPI has not. */
  readonly leftOut?: readonly LeftOut[]
}

/** The values that all operations of a document share. */
export type ConversionParts = {
  readonly resolve: Resolve
  readonly schemas: Schemas
  readonly security: Security
  /** Replace placeholders of paths. */
  readonly constants: Constants
  /** The start of the names of environment variables. */
  readonly prefix: string
  /** Returns the index of the server that an operation needs, or why it cannot be called. */
  readonly serverOf: (operation: Operation) => number | string
}

/** An action in an import document. */
export type DocumentAction = Omit<ActionFields, 'responseMapping'>

export type ConvertedOperation = {
  /** Null if the operation cannot become an action. */
  readonly action: Omit<DocumentAction, 'toolName'> | null
  /** Why it cannot. */
  readonly refusal: SourceOperation['leftOut']
  /** The placeholders of its path; none if it cannot become an action. */
  readonly placeholders: readonly string[]
  readonly leftOut: readonly (Pick<LeftOut, 'name' | 'reason' | 'path'> & {
    /** The omitted part; missing if the whole operation is omitted. */
    readonly part?: string
  })[]
  /** The number of its declared parameters. */
  readonly parameters: number
}

/** The longest path of an action. */
const maxPath = 2048
const maxName = 120
const maxLabel = 300
const maxDescription = 8000

/** Converts an operation to an action, or returns why it cannot be one. Pure. */
export function convertOperation(given: Operation, parts: ConversionParts): ConvertedOperation {
  const label = cut(`${given.method} ${given.path}`, maxLabel)
  const { value, path } = given.operation
  const refuse = (reason: LeftOutReason, message: string) => ({
    action: null,
    refusal: { reason, message },
    placeholders: [],
    leftOut: [{ name: label, reason: message, path }],
    parameters: 0,
  })
  const method = Method.safeParse(given.method)
  if (!method.success)
    return refuse('method', `actions support only the methods ${Method.options.join(', ')}`)
  const server = parts.serverOf(given)
  if (typeof server === 'string') return refuse('server', server)
  if (given.path.length > maxPath) return refuse('path', `its path has more than ${maxPath} characters`)
  const placeholders = placeholdersIn(given.path)
  const opened = openPath(given.path, parts.constants, argumentOf)
  const open = new Set(opened.open)
  const calledPath = withOneSlash(opened.path)
  const [pathProblem] = pathProblems(calledPath)
  if (pathProblem !== undefined) return refuse('path', pathProblem)
  if (calledPath.length > maxPath) return refuse('path', `its path has more than ${maxPath} characters`)

  const { declared, leftOut } = declaredParameters(given.item, given.operation, parts.resolve)
  withPathParameters(declared, placeholders, open, path)
  const secured = parts.security.of(value)
  const signIn = 'headers' in secured ? secured.headers : {}
  withoutSignIn(declared, parts.security.auth, signIn)
  const inputs = readParameters(declared, parts.schemas, parts.prefix)
  for (const one of [...leftOut, ...(given.leftOut ?? [])]) inputs.leftOut.push(one)
  readRequestBody(value, path, method.data, inputs, parts.resolve, parts.schemas)
  if ('reason' in secured)
    inputs.leftOut.push({ name: 'security', reason: secured.reason, path, loss: 'required' })
  const headers = mergeHeaders(inputs.headers, signIn)

  const isDeprecated = field(value, 'deprecated') === true
  const isWhole = inputs.leftOut.every(({ loss }) => loss === null)
  const notes: ConvertedOperation['leftOut'][number][] = inputs.leftOut.map(
    ({ name, reason, path: at, loss }) => ({
      name: `${label}: ${cut(name, maxName)}`,
      part: cut(name, maxName),
      reason: `${reason}${consequences[loss ?? 'none']}`,
      path: at,
    }),
  )
  if (isDeprecated) {
    const reason = 'it is deprecated'
    notes.push({ name: label, reason, path })
  }
  const calledLabel = cut(`${given.method} ${calledPath}`, maxLabel)
  const action = {
    name: cut(nameOf(value) ?? calledLabel, maxName),
    description: cut(descriptionOf(value, calledLabel), maxDescription),
    method: method.data,
    path: calledPath,
    headers: Object.keys(headers).length === 0 ? null : headers,
    ...sentParts(method.data, headers, inputs),
    isEnabled: isWhole,
  }
  // An operation that is invalid for another reason must not prevent the import of the others.
  const checked = ActionEntry.safeParse(action)
  if (!checked.success) {
    const [issue] = checked.error.issues
    const message = `it is not valid as an action (${issue?.path.join('.')}: ${issue?.message})`
    return refuse('invalid', message)
  }
  return {
    action,
    refusal: null,
    placeholders,
    leftOut: notes,
    parameters: declared.size + inputs.parameters.length,
  }
}

/**
 * Declares the placeholders of a path that have no constant and are not declared, in place, and takes out path parameters
 * that fill no placeholder.
 */
function withPathParameters(
  declared: Map<string, { readonly value: unknown; readonly path: JsonPath }>,
  placeholders: readonly string[],
  open: ReadonlySet<string>,
  path: JsonPath,
): void {
  for (const [key, { value, path: at }] of [...declared]) {
    const name = textField(value, 'name') ?? ''
    if (field(value, 'in') !== 'path') continue
    // The placeholder has the name of its argument, because a path cannot have any.
    if (open.has(name)) declared.set(key, { value: { ...Object(value), name: argumentOf(name) }, path: at })
    else declared.delete(key)
  }
  for (const name of placeholders)
    if (open.has(name) && !declared.has(pathParameter(name)))
      declared.set(pathParameter(name), {
        value: { name: argumentOf(name), in: 'path', required: true, schema: { type: 'string' } },
        path,
      })
}

/** Takes out the parameters in place of which the connection, or a header of the action, signs in. */
function withoutSignIn(
  declared: Map<string, { readonly value: unknown }>,
  auth: ConnectionAuth | null,
  headers: Readonly<Record<string, string>>,
): void {
  for (const [key, { value }] of [...declared]) {
    const name = textField(value, 'name') ?? ''
    const place = field(value, 'in')
    const isSent =
      place === 'header'
        ? hasHeader(headers, name) ||
          (auth?.in === 'header' && auth.name.toLowerCase() === name.toLowerCase())
        : place === 'query' && auth?.in === 'query' && auth.name === name
    if (isSent) declared.delete(key)
  }
}

/** Returns the parameters without what need not be said, and whether calls have a body. */
function sentParts(
  method: Method,
  headers: Readonly<Record<string, string>>,
  { parameters, sendsBody }: Inputs,
): Pick<ActionFields, 'parameters' | 'sendsBody'> {
  const body = takesQuery(method) || sendsBody ? undefined : false
  const isJson = bodyFormOf(contentTypeOf({ headers })) === 'json'
  const isUsual = (one: Parameter) =>
    one.in === placeOf({}, { method, sendsBody: body }) && (one.in !== 'body' || isJson)
  return {
    parameters: parameters.map(({ in: place, ...rest }) =>
      isUsual({ in: place, ...rest }) ? rest : { ...rest, in: place },
    ),
    ...(body === false && { sendsBody: body }),
  }
}

/** Returns the text that the tool name of an operation derives from. Constants do not change it. */
export function toolNameSource({ method, path, operation: { value } }: Operation): string {
  return cut(textField(value, 'operationId') ?? nameOf(value) ?? `${method} ${path}`, maxLabel)
}

function nameOf(operation: unknown): string | null {
  return textField(operation, 'summary') ?? textField(operation, 'operationId')
}

const consequences = {
  required: '; it is required, so the action is imported disabled',
  inexpressible: '; the action is imported disabled',
  none: '',
}

function descriptionOf(operation: unknown, label: string): string {
  const texts = [textField(operation, 'summary'), textField(operation, 'description')].filter(
    text => text !== null,
  )
  return texts.length === 0 ? `Calls ${label}.` : [...new Set(texts)].join('\n\n')
}

/** Tags of an operation that are read, and characters of one. */
const maxTags = 20
const maxTag = 100

/** Returns the first 20 tags of an operation. */
export function tagsOf(operation: unknown): string[] {
  return listField(operation, 'tags')
    .slice(0, maxTags)
    .filter(tag => typeof tag === 'string')
    .map(tag => cut(tag, maxTag))
}
