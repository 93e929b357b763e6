import { isObject } from '../json/exact-json.ts'
import { headerNamed } from '../model/action-headers.ts'
import { fixedQueryNames } from '../model/action-path.ts'
import { takesQuery, withPair } from '../model/action-url.ts'
import type { Issue } from '../model/issue.ts'
import type { Method } from '../model/method.ts'
import {
  isConstant,
  type ParameterPlace,
  type SentParameter,
  type sendingFields,
  wireNameOf,
} from '../model/parameter.ts'
import { encodedFields, fieldsOf, headerText, pathText } from './places.ts'
import { type Field, maxWritten, sizeOf, Unwritable } from './styles.ts'

/** The fields of an action that say what its calls send. */
export type SendingAction = {
  readonly method: Method
  readonly path: string
  readonly headers: Readonly<Record<string, string>> | null
  readonly parameters: readonly SentParameter[]
  readonly sendsBody?: boolean | undefined
}

/** A part of a multipart body. */
export type FormPart = {
  readonly name: string
  /** Bytes as base64 for a file, else text. */
  readonly content: { readonly text: string } | { readonly base64: string }
  /** Null for a plain text. */
  readonly contentType: string | null
}

/** A body before it is bytes. `json` and `text` are texts; `base64` is what it encodes. */
export type WrittenBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly base64: string }
  | { readonly kind: 'parts'; readonly parts: readonly FormPart[] }

/** The parts of one call of an action. */
export type WrittenRequest = {
  /** The path with its values, and the whole query. */
  readonly path: string
  /** Headers of parameters. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: WrittenBody
}

type Arguments = Readonly<Record<string, unknown>>

/** Returns whether an action says itself how its calls are sent. All others send what the specification says. */
export function hasSendingFields({
  parameters,
  sendsBody,
}: Pick<SendingAction, 'parameters' | 'sendsBody'>): boolean {
  return sendsBody !== undefined || parameters.some(isExtended)
}

/** All of `sendingFields`: one that is missing here does not compile. */
function isExtended({ in: place, wireName, isList, style, schema, value }: SentParameter): boolean {
  const fields = { in: place, wireName, isList, style, schema, value } satisfies {
    [Field in keyof typeof sendingFields]: unknown
  }
  return Object.values(fields).some(field => field !== undefined)
}

/** Returns whether the calls of an action can have a body. */
export function canHaveBody({ method, sendsBody }: Pick<SendingAction, 'method' | 'sendsBody'>): boolean {
  return !takesQuery(method) && sendsBody !== false
}

/** Returns where a parameter of an action is sent. */
export function placeOf(
  { in: place }: Pick<SentParameter, 'in'>,
  action: Pick<SendingAction, 'method' | 'sendsBody'>,
): ParameterPlace {
  return place ?? (canHaveBody(action) ? 'body' : 'query')
}

/** Returns the Content-Type that an action sets itself; null for none, which means JSON. */
export function contentTypeOf({ headers }: Pick<SendingAction, 'headers'>): string | null {
  return headerNamed(headers, 'content-type') ?? null
}

/** How a body of a type is written. */
export type BodyForm = 'json' | 'urlencoded' | 'multipart' | 'other'

/** Returns how a body of a Content-Type is written. */
export function bodyFormOf(contentType: string | null): BodyForm {
  const type = (contentType ?? 'application/json').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'application/x-www-form-urlencoded') return 'urlencoded'
  if (type === 'multipart/form-data') return 'multipart'
  return type === 'application/json' || type.endsWith('+json') ? 'json' : 'other'
}

/** Returns whether a text parameter carries bytes as base64. */
export function isFile({ schema }: Pick<SentParameter, 'schema'>): boolean {
  return schema?.contentEncoding === 'base64'
}

/**
 * Returns what a call of an action with `hasSendingFields` sends, or the problems of arguments that cannot be sent. The
 * arguments are of the right types already. An argument changes neither the host, nor another segment, parameter or
 * header. Null counts as not given, but for a parameter of a JSON body whose schema allows it.
 *
 * @param signInName the query parameter that signs in, which no key of an argument may be.
 */
export function writeRequest(
  action: SendingAction,
  given: Arguments,
  signInName?: string,
): WrittenRequest | { readonly issues: Issue[] } {
  const issues: Issue[] = []
  const byPlace: Record<ParameterPlace, Given[]> = {
    path: [],
    query: [],
    header: [],
    body: [],
    entireBody: [],
  }
  for (const parameter of action.parameters) {
    const own = Object.hasOwn(given, parameter.name) ? given[parameter.name] : undefined
    const value = isConstant(parameter) ? parameter.value : own
    if (value === undefined) continue
    byPlace[placeOf(parameter, action)].push({ parameter, value })
  }
  /** Writes one value; a problem is an issue of its argument. */
  const attempt = <Written>({ parameter }: Given, write: () => Written): Written | null => {
    try {
      return write()
    } catch (error) {
      if (!(error instanceof Unwritable)) throw error
      issues.push({ path: parameter.name, message: `${parameter.name} ${error.message}` })
      return null
    }
  }
  const path = filledPath(action.path, byPlace.path, attempt)
  if (path !== null && 'wrong' in path) issues.push(path.wrong)
  const query = withoutNull(byPlace.query).flatMap(fieldWriter(action, 'query', attempt, signInName))
  const headers: Record<string, string> = {}
  for (const one of withoutNull(byPlace.header)) {
    const text = attempt(one, () => headerText(one.parameter, one.value))
    if (text !== null) headers[wireNameOf(one.parameter)] = text
  }
  const body = canHaveBody(action) ? bodyOf(action, byPlace, attempt) : none
  if (path === null || 'wrong' in path || issues.length > 0) return { issues }
  const fields = encodedFields(query)
  return { path: fields === '' ? path.filled : withPair(path.filled, fields), headers, body }
}

type Given = { readonly parameter: SentParameter; readonly value: unknown }
type Attempt = <Written>(given: Given, write: () => Written) => Written | null

const none: WrittenBody = { kind: 'none' }

const withoutNull = (given: readonly Given[]) => given.filter(({ value }) => value !== null)

/** Matches a segment that URLs resolve away, or that climbs out of the path. */
const dots = /^(?:\.|%2e){1,2}$/i

/** Returns the path with the values of its placeholders. */
function filledPath(
  path: string,
  given: readonly Given[],
  attempt: Attempt,
): { readonly filled: string } | { readonly wrong: Issue } | null {
  const texts = new Map<string, string>()
  for (const one of given) {
    const text = attempt(one, () => pathText(one.parameter, one.value))
    if (text === null) return null
    texts.set(wireNameOf(one.parameter), text)
  }
  const { pathname, query } = splitPath(path)
  const segments = pathname.split('/').map(segment => {
    const filled = segment.replace(placeholder, (source, name: string) => texts.get(name) ?? source)
    return { segment, filled }
  })
  const wrong = segments.find(({ segment, filled }) => filled !== segment && dots.test(filled))
  if (wrong === undefined) return { filled: segments.map(({ filled }) => filled).join('/') + query }
  const culprit = given.find(({ parameter }) => wrong.segment.includes(`{${wireNameOf(parameter)}}`))
  const name = culprit?.parameter.name ?? ''
  return { wrong: { path: name, message: `${name} must not be . or .., which lead to another path.` } }
}

/** Matches `{wireName}` in a path. */
export const placeholder = /\{([^{}/?#]{1,255})\}/g

/** Returns the two parts of an action's path; the query with its question mark. */
export function splitPath(path: string): { readonly pathname: string; readonly query: string } {
  const question = path.indexOf('?')
  return question === -1
    ? { pathname: path, query: '' }
    : { pathname: path.slice(0, question), query: path.slice(question) }
}

/**
 * Returns a function that writes the fields of one parameter after another; it refuses a key of an argument that would be
 * read as another parameter, and what is too large together.
 */
function fieldWriter(
  action: SendingAction,
  where: 'query' | 'form',
  attempt: Attempt,
  signInName?: string,
): (one: Given) => Field[] {
  const place = where === 'query' ? 'query' : 'body'
  let written = 0
  const fixed = where === 'query' ? fixedQueryNames(action.path) : []
  const declared = action.parameters.filter(one => placeOf(one, action) === place).map(wireNameOf)
  const signIn = signInName === undefined ? [] : [signInName]
  const names = [...fixed, ...declared, ...signIn]
  const taken = new Set(names.map(baseName))
  const nested = names.filter(name => name.includes('['))
  const used = new Set<string>()
  return one => {
    const { parameter, value } = one
    const found = attempt(one, () => {
      const fields = fieldsOf(parameter, value, where)
      written += sizeOf(fields)
      if (written > maxWritten) throw new Unwritable('is too large once it is written.')
      const own = wireNameOf(parameter)
      const hasKeysOfItsOwn = parameter.style === 'fields' && isObject(value)
      const isTaken = hasKeysOfItsOwn
        ? (name: string) => taken.has(baseName(name)) || used.has(name)
        : (name: string) => name !== own && nested.some(other => other !== own && isWithin(other, name))
      for (const { name } of nested.length > 0 || hasKeysOfItsOwn ? fields : [])
        if (isTaken(name))
          throw new Unwritable(
            `has the key ${JSON.stringify(name.slice(0, 64))}, which is another parameter.`,
          )
      for (const { name } of fields) used.add(name)
      return fields
    })
    return found ?? []
  }
}

/** Returns whether a field is that of a parameter, or a part of it. */
function isWithin(parameter: string, field: string): boolean {
  return field.startsWith(parameter) && (field.length === parameter.length || field[parameter.length] === '[')
}

/** Returns the name of a field up to its first bracket: that of the parameter that it belongs to. */
function baseName(name: string): string {
  const bracket = name.indexOf('[')
  return bracket < 1 ? name : name.slice(0, bracket)
}

function bodyOf(
  action: SendingAction,
  { body: fields, entireBody: [entire] }: Readonly<Record<ParameterPlace, Given[]>>,
  attempt: Attempt,
): WrittenBody {
  const form = bodyFormOf(contentTypeOf(action))
  if (entire !== undefined && !(entire.value === null && !sendsNull(entire.parameter)))
    return attempt(entire, () => entireBodyOf(entire, form)) ?? none
  if (action.parameters.some(one => one.in === 'entireBody')) return none
  switch (form) {
    case 'json':
      return { kind: 'text', text: jsonBody(fields) }
    case 'urlencoded': {
      const text = encodedFields(withoutNull(fields).flatMap(fieldWriter(action, 'form', attempt)))
      return text === '' ? none : { kind: 'text', text }
    }
    case 'multipart':
      return { kind: 'parts', parts: formParts(action, withoutNull(fields), attempt) }
    case 'other':
      return none
  }
}

function entireBodyOf({ parameter, value }: Given, form: BodyForm): WrittenBody {
  if (isFile(parameter) && typeof value === 'string') return { kind: 'bytes', base64: checkedBase64(value) }
  if (form !== 'json' && typeof value === 'string') return { kind: 'text', text: value }
  return { kind: 'text', text: JSON.stringify(value) }
}

/** Writes the object field by field, because an object would put names such as `7` first and lose `__proto__`. */
function jsonBody(fields: readonly Given[]): string {
  const sent = fields.filter(({ parameter, value }) => value !== null || sendsNull(parameter))
  return `{${sent
    .map(({ parameter, value }) => `${JSON.stringify(wireNameOf(parameter))}:${JSON.stringify(value)}`)
    .join(',')}}`
}

/** Returns whether null is sent in a JSON body: as a constant it would say nothing else. */
function sendsNull(parameter: SentParameter): boolean {
  return isConstant(parameter) || allowsNull(parameter)
}

/** Returns whether null is a value of a parameter by its own schema. */
export function allowsNull({ schema, isList }: Pick<SentParameter, 'schema' | 'isList'>): boolean {
  if (schema === undefined || isList === true) return false
  const { type, enum: values, const: only } = schema
  if (type === 'null' || only === null) return true
  if (Array.isArray(values) && !values.includes(null)) return false
  if (Array.isArray(type)) return type.includes('null')
  if (Array.isArray(values) && type === undefined) return true
  return ['anyOf', 'oneOf'].some(name => {
    const any = schema[name]
    return (
      type === undefined &&
      Array.isArray(any) &&
      any.some(one => isObject(one) && allowsNull({ schema: one }))
    )
  })
}

function formParts(action: SendingAction, fields: readonly Given[], attempt: Attempt): FormPart[] {
  const fieldsOfOne = fieldWriter(action, 'form', attempt)
  const parts = fields.flatMap((one): FormPart[] => {
    const { parameter, value } = one
    const name = wireNameOf(parameter)
    if (isFile(parameter)) return attempt(one, () => filesOf(name, value)) ?? []
    if (isObject(value) && parameter.style === undefined)
      return [{ name, content: { text: JSON.stringify(value) }, contentType: 'application/json' }]
    return fieldsOfOne(one).map(written => ({
      name: written.name,
      content: { text: attempt(one, () => plainTexts(written)) ?? '' },
      contentType: null,
    }))
  })
  const [last] = fields.slice(-1)
  if (last !== undefined && parts.length > maxParts)
    attempt(last, () => {
      throw new Unwritable(`makes more than ${maxParts} parts.`)
    })
  return parts
}

function filesOf(name: string, value: unknown): FormPart[] {
  return (Array.isArray(value) ? value : [value]).map(file => ({
    name,
    content: { base64: checkedBase64(String(file)) },
    contentType: 'application/octet-stream',
  }))
}

/** Each part has headers of its own, which take far more than a short value. */
const maxParts = 10_000

/** Matches base64 in both alphabets, with line breaks. Decoding would drop all other characters without a word. */
const base64 = /^[A-Za-z0-9+/_\-\r\n]*={0,2}$/

function checkedBase64(text: string): string {
  if (!base64.test(text.trimEnd())) throw new Unwritable('must be base64.')
  return text
}

/** Returns the texts of a field where nothing is encoded. @throws Unwritable if one has the separator. */
function plainTexts({ texts, separator }: Field): string {
  if (separator !== '' && texts.some(text => text.includes(separator)))
    throw new Unwritable(`has ${JSON.stringify(separator)} in one of its values, which separates them here.`)
  return texts.join(separator)
}
