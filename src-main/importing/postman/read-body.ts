import { isObject } from '#shared/json/exact-json.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { bodyFormOf } from '#shared/request/write-request.ts'
import { field, listField, textField } from '../openapi/json-value.ts'
import { describe, schemaOf, schemaOfText } from './examples.ts'
import { type Variables, variablePattern } from './variables.ts'

/** The body of a request as a `requestBody` of OpenAPI, or why it cannot be sent; null for none. */
type Body = { readonly content: object } | { readonly reason: string } | null

/** Characters of a body. Its variables can make it longer. */
const maxBody = 256 * 1024

/** @param contentType of the request's headers; null for none. */
export function readBody(body: unknown, variables: Variables, contentType: string | null): Body {
  if (!isObject(body) || field(body, 'disabled') === true) return null
  switch (field(body, 'mode')) {
    case 'raw':
      return rawBody(body, variables, contentType)
    case 'urlencoded':
      return formBody('application/x-www-form-urlencoded', listField(body, 'urlencoded'), variables)
    case 'formdata':
      return formBody('multipart/form-data', listField(body, 'formdata'), variables)
    case 'file':
      return contentOf(contentType ?? 'application/octet-stream', { type: 'string', format: 'binary' })
    case 'graphql':
      return graphQlBody(field(body, 'graphql'), variables)
    default:
      return null
  }
}

const contentOf = (type: string, schema: object) => ({ content: { [type]: { schema } } })

/** Fields that are switched off are optional; a repeated one is a list. */
function formBody(type: string, fields: readonly unknown[], variables: Variables): Body {
  const byName = Map.groupBy(
    fields.filter(one => (textField(one, 'key') ?? '') !== ''),
    one => textField(one, 'key') ?? '',
  )
  if (byName.size === 0) return null
  const properties = [...byName].map(([name, [first, second]]) => {
    const schema = fieldSchema(name, first, variables)
    return [name, second === undefined ? schema : { type: 'array', items: schema }] as const
  })
  const isOn = (one: unknown) => field(one, 'disabled') !== true
  const required = [...byName].filter(([, same]) => same.some(isOn)).map(([name]) => name)
  return contentOf(type, { type: 'object', properties: Object.fromEntries(properties), required })
}

function fieldSchema(name: string, given: unknown, variables: Variables): object {
  const description = describe(given)
  const about = description === undefined ? {} : { description }
  if (field(given, 'type') === 'file') return { ...about, type: 'string', format: 'binary' }
  const value = variables.fill(textField(given, 'value') ?? '')
  // A secret is not kept as an example.
  return { ...about, ...schemaOf(name, value, variables), ...schemaOfText(value, variables).schema }
}

function rawBody(body: object, variables: Variables, contentType: string | null): Body {
  const raw = field(body, 'raw')
  if (typeof raw !== 'string') return null
  if (raw.length > maxBody) return { reason: `it is larger than ${maxBody / 1024} KiB` }
  const text = variables.fillJson(raw)
  if (text.trim() === '') return null
  const language = textField(field(field(body, 'options'), 'raw'), 'language') ?? 'json'
  const type = contentType ?? types[language] ?? `text/${language}`
  const form = bodyFormOf(type)
  if (form === 'other') return contentOf(type, { type: 'string' })
  if (form === 'urlencoded') {
    const pairs = [...new URLSearchParams(variables.fill(raw))].map(([key, value]) => ({ key, value }))
    return formBody('application/x-www-form-urlencoded', pairs, variables)
  }
  const value = parseJson(text)
  if (form === 'multipart' || value === undefined) return { reason: 'it is not valid JSON' }
  if (!isObject(value)) return contentOf(type, schemaOf('body', value, variables))
  const entries = Object.entries(value)
  return contentOf(type, {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, one]) => [name, schemaOf(name, one, variables)])),
    required: entries.filter(([, one]) => one !== null).map(([name]) => name),
  })
}

/** The types that Postman sends texts as, by their languages. */
const types: Readonly<Record<string, string>> = {
  json: 'application/json',
  text: 'text/plain',
  xml: 'application/xml',
  javascript: 'application/javascript',
}

/** A GraphQL query is fixed, and calls give its variables. */
function graphQlBody(given: unknown, variables: Variables): Body {
  const query = variables.fill(textField(given, 'query') ?? '')
  if (query.length > maxBody) return { reason: `it is larger than ${maxBody / 1024} KiB` }
  if (query.trim() === '' || variablePattern().test(query))
    return { reason: 'its GraphQL query is empty or has variables of Postman' }
  const examples = parseJson(variables.fillJson(textField(given, 'variables') ?? ''))
  const entries = isObject(examples) ? Object.entries(examples) : []
  const properties = Object.fromEntries(entries.map(([name, one]) => [name, schemaOf(name, one, variables)]))
  const fields = entries.length === 0 ? {} : { variables: { type: 'object', properties } }
  return contentOf('application/json', {
    type: 'object',
    properties: { query: { const: query }, ...fields },
    required: ['query', ...Object.keys(fields)],
  })
}
