import { walkJson } from '#shared/json/walk-json.ts'
import type { ImportFormat } from '#shared/model/import-preview.ts'

/** The format of a text, or why a document of another format cannot be imported and what to import instead. */
type Recognition = { readonly format: ImportFormat } | { readonly notRead: string }

/** Characters in which most documents show their format. A longer document is only read if they do not. */
const lookedAt = 64 * 1024

/** Recognizes the format of a text by its content. A text of no known format counts as an import document. Pure. */
export function recognizeFormat(text: string): Recognition {
  const start = text.slice(0, lookedAt)
  // A prompt such as [user@host ~]$ begins with a bracket too.
  const isJson = /^[\s\ufeff]*(?:\{|\[\s*[[\]{"])/.test(start)
  const known = isJson
    ? (ofJson(start) ?? (text.length > lookedAt ? ofJson(text) : null))
    : (ofText(start) ?? ofYaml(text) ?? ofCurl(start))
  return known ?? { format: 'document' }
}

const read = (format: ImportFormat) => ({ format })
const notRead = (what: string, instead: string) => ({ notRead: `This is ${what}. ${instead}` })

const exportFromTool =
  'Export the collection as OpenAPI or as a Postman collection 2.1, then import that instead.'
const postmanAgain =
  'In Postman, export the collection with the format Collection v2.1, then import that instead.'

/** Parts whose own keys can show a format. */
const tellingParts = new Set(['info', 'collection', 'collection.info', 'log', 'data'])
/** A hostile document has millions of keys. */
const maxKeys = 100_000

/** Decides a JSON text by its keys, and by those of some of its parts. */
function ofJson(text: string): Recognition | null {
  const values = new Map<string, string>()
  const path: (string | number)[] = []
  walkJson(text, {
    value(step, kind, _offset, content) {
      const outer = path.length <= 3 ? path.slice(1).join('.') : null
      if (typeof step === 'string' && values.size < maxKeys && outer !== null)
        if (outer === '' || tellingParts.has(outer))
          values.set(outer === '' ? step : `${outer}.${step}`, kind === 'string' ? content.slice(0, 200) : '')
      if (kind === 'object' || kind === 'array') path.push(step ?? '')
    },
    leave() {
      path.pop()
    },
  })
  return ofKeys(values)
}

/** Decides a YAML text by its keys without indentation, and `type`. */
function ofYaml(text: string): Recognition | null {
  const values = new Map<string, string>()
  for (const [, name = '', value = ''] of text.matchAll(yamlKey)) values.set(name, value)
  return values.size === 0 ? null : ofKeys(values)
}
const yamlKey = /^["']?([a-zA-Z_$]\w{0,40})["']?[ \t]*:(?:[ \t]+["']?([^\s"'#]{0,200}))?/gm

/** @param values by the keys that lead to them, joined by dots; empty for values that are not texts. */
function ofKeys(values: ReadonlyMap<string, string>): Recognition | null {
  const has = (...keys: readonly string[]) => keys.every(key => values.has(key))
  const value = (key: string) => values.get(key) ?? ''
  const schema = value('info.schema') || value('collection.info.schema')
  if (has('openapi')) return read('openapi')
  if (has('swagger')) return read('swagger')
  if (has('swaggerVersion'))
    return notRead('Swagger 1', 'Convert it to OpenAPI 3 first, for example with the API’s own tools.')
  if (has('asyncapi'))
    return notRead('AsyncAPI', 'It describes messages, not calls. Declare its messages as event types.')
  if (/schema\.getpostman\.com\/.*v2\.1/.test(schema)) return read('postman')
  if (schema.includes('schema.getpostman.com')) return notRead('a Postman collection 2.0', postmanAgain)
  if (has('info._postman_id', 'item') || has('collection.info._postman_id')) return read('postman')
  if (has('_postman_variable_scope'))
    return notRead('a Postman environment', 'Import the collection, and set its variables in the preview.')
  if (has('requests', 'order')) return notRead('a Postman collection 1.0', postmanAgain)
  if (has('log.entries') || has('log.creator'))
    return notRead('a HAR file', 'Copy single requests from the browser as cURL, and import those instead.')
  if (has('__export_format') || /insomnia\.rest/.test(value('type')))
    return notRead('an Insomnia export', exportFromTool)
  if (has('brunoConfig') || has('bruno') || has('items', 'activeEnvironmentUid'))
    return notRead('a Bruno collection', exportFromTool)
  if (has('__schema') || has('data.__schema') || has('data', 'data.__schema'))
    return notRead('a GraphQL schema', graphQl)
  if (has('discoveryVersion') || value('kind').startsWith('discovery#'))
    return notRead('a Google API discovery document', 'Import an OpenAPI document of the API instead.')
  if (/json-schema\.org/.test(value('$schema')) && !has('actions') && !has('events'))
    return notRead('a JSON Schema', 'It describes data, not calls. Import an OpenAPI document instead.')
  return null
}

const graphQl =
  'An action calls one path with one set of fields. Add an action that posts a fixed query, or import a curl command of one.'
const xml = 'Actions send and receive JSON. Import an OpenAPI document of a JSON API instead.'

const texts: readonly (readonly [RegExp, string, string])[] = [
  [
    /^\s*(?:<!--[\s\S]{0,2000}?-->\s*)?<(?:!doctype\s+html|html)\b/i,
    'an HTML page, not a document',
    'Give the address of the document itself, which often ends in .json or .yaml.',
  ],
  [
    /^\s*<[\s\S]{0,4000}schemas\.xmlsoap\.org\/wsdl|^\s*<[\s\S]{0,4000}www\.w3\.org\/ns\/wsdl/i,
    'WSDL (SOAP)',
    xml,
  ],
  [/^\s*<[\s\S]{0,4000}wadl\.dev\.java\.net/i, 'WADL', xml],
  [/^\s*<[?!a-z]/i, 'XML', xml],
  [/^\s*#%RAML\b/i, 'RAML', 'Convert it to OpenAPI 3 first, then import that instead.'],
  [/^\s*FORMAT:\s*1A\b/i, 'API Blueprint', 'Convert it to OpenAPI 3 first, then import that instead.'],
  [/^(?:meta|get|post|put|patch|delete)[ \t]*\{[ \t\r]*$/m, 'a Bruno request', exportFromTool],
  [
    /^syntax[ \t]*=[ \t]*["']proto[23]["']/m,
    'a Protocol Buffers file',
    'Actions send and receive JSON. Import an OpenAPI document of the API’s JSON gateway instead.',
  ],
  [
    /^(?:\s*#[^\n]*\n|\s*"""[^"]*""")*\s*(?:extend\s+)?(?:schema|type|interface|enum|input|scalar|union|directive)\s+[\w@{]/,
    'a GraphQL schema',
    graphQl,
  ],
  [
    /^(?:\s*(?:#|\/\/|@)[^\n]*\n)*\s*(?:GET|POST|PUT|PATCH|DELETE)\s+(?:https?:|\{\{)/,
    'an HTTP request file',
    'Copy its requests as cURL, and import those instead.',
  ],
]

function ofText(start: string): Recognition | null {
  const text = start.replace(/^\ufeff/, '')
  const found = texts.find(([sign]) => sign.test(text))
  return found === undefined ? null : notRead(found[1], found[2])
}

function ofCurl(start: string): Recognition | null {
  return /(?<![\w.-])curl(?:\.exe)?(?![\w.-])/i.test(start) ? read('curl') : null
}
