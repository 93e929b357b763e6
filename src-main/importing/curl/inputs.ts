import { isObject } from '#shared/json/exact-json.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { Parameter, type ParameterType } from '#shared/model/parameter.ts'
import type { Omission } from '../parse.ts'
import { explainBody } from './explain-body.ts'
import { isSecretField } from './headers.ts'
import type { CurlData, CurlRequest } from './read-request.ts'

export type CurlInputs = {
  readonly parameters: Parameter[]
  readonly omissions: Omission[]
  /** The fixed query for the path, without its question mark. */
  query: string
  /** Whether the request has a body, or a part of a query, that an action cannot send. */
  isLost: boolean
}

const maxParameters = 200
const fromFile = 'it is in a file or comes from stdin'

/** Converts the query of a GET, or the JSON body of another method, to parameters. Examples determine their types. */
export function convertInputs(
  request: CurlRequest,
  method: string,
  query: string,
  urlOffset: number,
): CurlInputs {
  const inputs: CurlInputs = { parameters: [], omissions: [], query: '', isLost: false }
  const data = request.isGet ? [] : request.data
  const inQuery = [
    { text: query, offset: urlOffset },
    ...[...(request.isGet ? request.data : []), ...request.query].flatMap(one => {
      const { offset, hasVariables, otherExpansion } = one.word
      const text = formText(one)
      // The values of a GET are only examples.
      const isFilled = method !== 'GET' && (hasVariables || otherExpansion !== null)
      if (text !== null && !isFilled) return [{ text, offset }]
      lose(inputs, 'query', text === null ? fromFile : 'the shell fills in a part of it', offset)
      return []
    }),
  ].filter(({ text }) => text !== '')
  if (method === 'GET') addQuery(inputs, inQuery)
  else inputs.query = fixedQuery(inputs, inQuery)

  for (const { option, word } of request.uploads) {
    const name = option === 'upload-file' ? 'file' : `form field ${word.text.split('=')[0]}`
    lose(inputs, name, 'actions send JSON, not forms or files', word.offset)
  }
  if (data.length > 0) addBody(inputs, request, method)
  return inputs
}

/** Returns the fixed query of a request with a body, without likely secrets. */
function fixedQuery(inputs: CurlInputs, given: readonly { text: string; offset: number }[]): string {
  return given
    .flatMap(({ text, offset }) =>
      text.split('&').filter(pair => {
        const [name = ''] = pair.split('=')
        if (isSecretField(name)) leaveOutSecret(inputs, name, offset)
        return pair !== '' && !isSecretField(name)
      }),
    )
    .join('&')
}

function leaveOutSecret(inputs: CurlInputs, name: string, offset: number): void {
  const reason =
    'it looks like a credential, which is not stored, and only headers can contain environment variables'
  lose(inputs, `query parameter ${name}`, reason, offset)
}

/** Adds a parameter for each name of a query, which may come in several options. */
function addQuery(inputs: CurlInputs, given: readonly { text: string; offset: number }[]): void {
  const pairs = given.flatMap(({ text, offset }) =>
    [...new URLSearchParams(text)].map(([name, value]) => ({ name, value, offset })),
  )
  const counts = new Map<string, number>()
  for (const { name } of pairs) counts.set(name, (counts.get(name) ?? 0) + 1)
  const byName = new Map(pairs.map(pair => [pair.name, pair]))
  for (const { name, value, offset } of [...byName.values()].slice(0, maxParameters)) {
    if (isSecretField(name)) leaveOutSecret(inputs, name, offset)
    else if ((counts.get(name) ?? 0) > 1)
      lose(inputs, `query parameter ${name}`, 'it is repeated, like a list', offset)
    else add(inputs, name, typeOfText(value), offset)
  }
  if (counts.size > maxParameters) {
    const reason = `only the first ${maxParameters} of its parameters are imported`
    lose(inputs, 'query', reason, pairs[0]?.offset ?? 0)
  }
}

/** Returns the type of the parameter that a text is an example for. */
export function typeOfText(text: string): ParameterType {
  if (/^(true|false)$/.test(text)) return 'boolean'
  return /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(text) ? 'number' : 'string'
}

function addBody(inputs: CurlInputs, request: CurlRequest, method: string) {
  const { data } = request
  const offset = data[0]?.word.offset ?? 0
  if (method === 'GET') return lose(inputs, 'body', 'a GET has no body', offset)
  const file = data.find(({ option, word }) => option !== 'data-raw' && word.text.startsWith('@'))
  if (file !== undefined) return lose(inputs, 'body', fromFile, file.word.offset)
  const text = data.map(({ word }) => word.text).join(data[0]?.option === 'json' ? '' : '&')
  // An empty body has no fields, like the body of an action without parameters.
  if (text.trim() === '') return
  const isForm = data.some(({ option }) => option === 'data-urlencode')
  const body = isForm ? undefined : parseJson(text)
  if (body === undefined) {
    for (const { message, offset } of explainBody(text, request)) lose(inputs, 'body', message, offset)
    return
  }
  if (!isObject(body)) return lose(inputs, 'body', 'it is not a JSON object', offset)
  const fields = Object.entries(body)
  for (const [name, value] of fields.slice(0, maxParameters)) {
    if (Array.isArray(value))
      lose(inputs, `body field ${name}`, 'it is an array, but parameters cannot be arrays', offset)
    // Most APIs read null as an absent field, so a call without it lacks nothing.
    else if (value === null)
      leaveOut(inputs, `body field ${name}`, 'its example is null, so its type is unknown', offset)
    else {
      const type = typeof value
      const isPlain = type === 'number' || type === 'boolean' || type === 'object'
      add(inputs, name, isPlain ? type : 'string', offset)
    }
  }
  if (fields.length > maxParameters)
    lose(inputs, 'body', `only the first ${maxParameters} of its fields are imported`, offset)
}

/** Returns the query that an option adds; null if it is in a file. */
function formText({ option, word: { text } }: CurlData): string | null {
  if (option === 'data-raw') return text
  if (option !== 'data-urlencode' && option !== 'url-query') return text.startsWith('@') ? null : text
  // It is not encoded again.
  if (option === 'url-query' && text.startsWith('+')) return text.slice(1)
  const at = text.search(/[=@]/)
  if (at === -1) return encodeURIComponent(text.toWellFormed())
  if (text.charAt(at) === '@') return null
  const value = encodeURIComponent(text.slice(at + 1).toWellFormed())
  return at === 0 ? value : `${text.slice(0, at)}=${value}`
}

function add(inputs: CurlInputs, name: string, type: ParameterType, offset: number): void {
  const known = inputs.parameters.some(parameter => parameter.name === name)
  if (!Parameter.shape.name.safeParse(name).success)
    lose(
      inputs,
      `parameter ${name.slice(0, 80)}`,
      'parameter names have 1 to 64 letters, digits, _ - . [ ]',
      offset,
    )
  else if (!known && inputs.parameters.length < maxParameters)
    inputs.parameters.push({ name, type, description: `The value of ${name}.`, required: true })
}

function leaveOut(inputs: CurlInputs, name: string, reason: string, offset: number): void {
  inputs.omissions.push({ name, reason, offset })
}

function lose(inputs: CurlInputs, name: string, reason: string, offset: number): void {
  inputs.isLost = true
  leaveOut(inputs, name, `${reason}; the action is imported disabled`, offset)
}
