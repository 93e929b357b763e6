import { isObject } from '#shared/json/exact-json.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import type { ParameterPlace, ParameterType } from '#shared/model/parameter.ts'
import { bodyFormOf } from '#shared/request/write-request.ts'
import { explainBody, looksLikeJson } from './explain-body.ts'
import { formText, fromFile, typeOfText } from './form-text.ts'
import { maxParameters, type NewParameter, type ParameterList } from './parameter-list.ts'
import type { CurlData, CurlRequest } from './read-request.ts'

/** The Content-Type of a body, null for JSON, and whether the command sends one. */
type Sent = { readonly contentType: string | null; readonly sendsBody: boolean }

const json: Sent = { contentType: null, sendsBody: true }
const none: Sent = { contentType: null, sendsBody: false }
const form: Sent = { contentType: 'application/x-www-form-urlencoded', sendsBody: true }
const multipart: Sent = { contentType: 'multipart/form-data', sendsBody: true }

const file = { type: 'string', contentEncoding: 'base64' }

/** Adds the body of a command to its parameters: its fields, or one parameter that is the whole body. */
export function addBody(list: ParameterList, request: CurlRequest, method: string): Sent {
  const data = request.isGet ? [] : request.data
  const [upload] = request.uploads
  const [first] = data
  const offset = first?.word.offset ?? upload?.word.offset ?? 0
  if (first === undefined && upload === undefined) return none
  if (method === 'GET') {
    list.lose('body', 'a GET has no body', offset)
    return none
  }
  if (first !== undefined && upload !== undefined) {
    list.lose('body', 'the command has two bodies, of which curl sends one', upload.word.offset)
    return none
  }
  const type = request.headers.find(({ name }) => /^content-type$/i.test(name))?.value.text ?? null
  if (upload !== undefined) {
    if (upload.option !== 'upload-file') return addParts(list, request.uploads)
    list.add({ name: 'body', type: 'string', in: 'entireBody', schema: file }, offset)
    return { contentType: type ?? 'application/octet-stream', sendsBody: true }
  }
  const inFile = data.find(({ option, word }) => option !== 'data-raw' && word.text.startsWith('@'))
  if (inFile !== undefined) return addFile(list, inFile, type)
  const text = data.map(({ word }) => word.text).join(first?.option === 'json' ? '' : '&')
  if (text.trim() === '') return none
  const isForm = data.some(({ option }) => option === 'data-urlencode')
  const value = isForm ? undefined : parseJson(text)
  if (value !== undefined) return addJson(list, value, offset)
  if (!looksLikeJson(text, first?.option, type)) {
    if (bodyFormOf(type) === 'other') {
      list.add({ name: 'body', type: 'string', in: 'entireBody' }, offset)
      return { contentType: type, sendsBody: true }
    }
    if (isForm || /^[^={["\s][^=&\s]*=/.test(text)) return addForm(list, data)
  }
  for (const { message, offset: at } of explainBody(text, request)) list.lose('body', message, at)
  return json
}

function addFile(list: ParameterList, { word }: CurlData, type: string | null): Sent {
  if (type === null || bodyFormOf(type) !== 'other') {
    list.lose('body', fromFile, word.offset)
    return json
  }
  list.add({ name: 'body', type: 'string', in: 'entireBody', schema: file }, word.offset)
  return { contentType: type, sendsBody: true }
}

function addJson(list: ParameterList, value: unknown, offset: number): Sent {
  if (!isObject(value)) {
    list.add({ name: 'body', ...kindOf(value), in: 'entireBody' }, offset)
    return json
  }
  const fields = Object.entries(value)
  // Most APIs read null as an absent field, so a call without it lacks nothing.
  for (const [name, own] of fields.slice(0, maxParameters))
    if (own === null)
      list.leaveOut(`body field ${name}`, 'its example is null, so its type is unknown', offset)
    else list.add({ name, ...kindOf(own) }, offset)
  if (fields.length > maxParameters) list.lose('body', tooMany, offset)
  return json
}

const tooMany = `only the first ${maxParameters} of its fields are imported`

/** Returns the type of a value, and whether it is a list of values of one type. */
function kindOf(value: unknown): Pick<NewParameter, 'type' | 'isList' | 'schema'> {
  if (!Array.isArray(value)) return { type: typeOf(value) }
  const [type = 'string', ...others] = new Set(value.map(typeOf))
  const isOfOne = others.length === 0 && value.length > 0 && !value.some(Array.isArray)
  // A schema without words allows each value.
  return { type, isList: true, ...(!isOfOne && { schema: {} }) }
}

function typeOf(value: unknown): ParameterType {
  const type = typeof value
  return type === 'number' || type === 'boolean' || type === 'object' ? type : 'string'
}

/** Adds the fields of a form. One that is repeated takes a list. */
function addForm(list: ParameterList, data: readonly CurlData[]): Sent {
  const pairs = data.flatMap(one => {
    const { offset } = one.word
    const text = formText(one)
    if (text === null) list.lose('body', fromFile, offset)
    return [...new URLSearchParams(text ?? '')].map(([name, value]) => ({
      name,
      offset,
      type: typeOfText(value),
    }))
  })
  addFields(list, pairs, 'body')
  return form
}

/** Adds the parts of a multipart form: texts, JSON objects and files. */
function addParts(list: ParameterList, uploads: readonly CurlData[]): Sent {
  const parts = uploads.map(({ option, word: { text, offset } }) => {
    const [name = ''] = text.split('=')
    const content = text.slice(name.length + 1)
    if (option === 'form' && content.startsWith('@'))
      return { name, offset, type: 'string' as const, schema: file }
    const isTyped = option === 'form' && /;\s*type=[^;]*json/i.test(content)
    const isJson = isTyped && isObject(parseJson(content.replace(/;\s*type=.*$/is, '')))
    return { name, offset, type: isJson ? ('object' as const) : ('string' as const) }
  })
  addFields(list, parts, 'body')
  return multipart
}

type Field = NewParameter & { readonly offset: number }

function addFields(list: ParameterList, fields: readonly Field[], place: ParameterPlace): void {
  const byName = Map.groupBy(fields, ({ name }) => name)
  for (const [first, second] of [...byName.values()].slice(0, maxParameters)) {
    if (first === undefined) continue
    const { offset, ...field } = first
    list.add({ ...field, isList: second !== undefined, in: place }, offset)
  }
  if (byName.size > maxParameters) list.lose('body', tooMany, fields[0]?.offset ?? 0)
}
