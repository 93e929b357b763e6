import { runImportJob } from '#main/importing/import-job.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import type { ImportFormat } from '#shared/model/import-preview.ts'
import { nowMs } from '../connections/fixtures.ts'
import { newConnection } from '../importing/fixtures.ts'

const repeat = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / unit.length))
const list = <Item>(length: number, item: (index: number) => Item) =>
  Array.from({ length: Math.floor(length) }, (_, index) => item(index))
const fields = (length: number, entry: (index: number) => [string, unknown]) =>
  Object.fromEntries(list(length, entry))
const action = (rest: object) =>
  JSON.stringify({
    connection: { name: 'x' },
    actions: [{ name: 'a', description: 'b', path: '/', ...rest }],
  })
const api = (rest: object) =>
  JSON.stringify({ openapi: '3.0.0', info: { title: 'x' }, servers: [{ url: 'https://a.example' }], ...rest })
const ref = (part: string) => ({ $ref: `#/components/${part}` })
const post = (schema: object) => ({ post: { requestBody: { content: { 'application/json': { schema } } } } })
const yaml = (rest: string) => `openapi: 3.0.0\n${rest}`

const documents: Record<string, (bytes: number) => string> = {
  'a path of open braces': bytes => action({ path: `/${repeat('{x', bytes)}` }),
  'a path of open angle brackets': bytes => action({ path: `/${repeat('<x', bytes)}` }),
  'many paths of open braces': bytes =>
    JSON.stringify({
      connection: { name: 'x' },
      actions: list(bytes / 2100, index => ({
        name: `a${index}`,
        description: 'b',
        path: `/${repeat('{x', 2000)}`,
      })),
    }),
  'empty actions': bytes => `{"actions":[${repeat('{},', bytes)}{}]}`,
  'empty event types': bytes => `{"events":[${repeat('{},', bytes)}{}]}`,
  'numbers where actions are expected': bytes => `[${repeat('1,', bytes)}1]`,
  'a name of words': bytes => action({ name: repeat('Aa', bytes) }),
  'white space in a description': bytes => action({ description: `${repeat(' ', bytes)}x` }),
  'a base URL of slashes': bytes =>
    JSON.stringify({ connection: { name: 'x', baseUrl: `https://a.example/${repeat('/', bytes)}x` } }),
  'a header of open braces': bytes => action({ headers: { a: repeat('{{A', bytes) } }),
  'thousands of headers': bytes => action({ headers: fields(bytes / 16, index => [`a${index}`, 'b']) }),
  'a response mapping of brackets': bytes => action({ responseMapping: { a: repeat('[1', bytes) } }),
  'prefixes of secrets': bytes => action({ name: repeat('whsec_', bytes) }),
  'unknown keys': bytes => JSON.stringify(fields(bytes / 12, index => [`k${index}`, 1])),
  'one key again and again': bytes => `{${repeat('"a":1,', bytes)}"a":1}`,
  'actions of one name': bytes =>
    JSON.stringify({ actions: list(bytes / 44, () => ({ name: 'a', description: 'b', path: '/' })) }),
  'brackets that are not closed': bytes => repeat('[', bytes),
  'commas in brackets': bytes => repeat('[,', bytes),
  'quotation marks': bytes => repeat("'a\n", bytes),
  'carriage returns': bytes => repeat('\r', bytes),
}

const openApi: Record<string, (bytes: number) => string> = {
  'allOf doubled': bytes =>
    api({
      paths: { '/a': post(ref('schemas/S0')) },
      components: {
        schemas: fields(bytes / 100, index => [
          `S${index}`,
          { allOf: [ref(`schemas/S${index + 1}`), ref(`schemas/S${index + 1}`)] },
        ]),
      },
    }),
  'schemas that each hold all others': bytes => {
    const count = Math.sqrt(bytes / 34)
    return api({
      paths: fields(count, index => [`/a${index}`, post(ref(`schemas/S${index}`))]),
      components: {
        schemas: fields(count, index => [
          `S${index}`,
          { type: 'object', allOf: list(count, other => ref(`schemas/S${other}`)) },
        ]),
      },
    })
  },
  'a chain of references to parameters': bytes =>
    api({
      paths: { '/a': { get: { parameters: list(bytes / 90, index => ref(`parameters/P${index}`)) } } },
      components: { parameters: fields(bytes / 90, index => [`P${index}`, ref(`parameters/P${index + 1}`)]) },
    }),
  'a chain of references between paths': bytes =>
    api({ paths: fields(bytes / 40, index => [`/a${index}`, { $ref: `#/paths/~1a${index + 1}` }]) }),
  'long references': bytes =>
    api({ paths: fields(200, index => [`/a${index}`, { $ref: `#/${repeat('a/', bytes / 200)}` }]) }),
  'an enumeration that many share': bytes =>
    api({
      paths: fields(bytes / 260, index => [
        `/a${index}`,
        { get: { parameters: [{ name: 'a', in: 'query', schema: ref('schemas/E') }] } },
      ]),
      components: { schemas: { E: { type: 'string', enum: list(bytes / 20, index => `v${index}`) } } },
    }),
  'alternatives that many share': bytes =>
    api({
      paths: fields(bytes / 260, index => [
        `/a${index}`,
        { get: { parameters: [{ name: 'a', in: 'query', schema: ref('schemas/E') }] } },
      ]),
      components: { schemas: { E: { oneOf: list(bytes / 40, () => ({ type: 'string' })) } } },
    }),
  'a description that many share': bytes =>
    api({
      paths: fields(bytes / 260, index => [
        `/a${index}`,
        { get: { parameters: [{ name: 'a', in: 'query', schema: ref('schemas/E') }] } },
      ]),
      components: { schemas: { E: { type: 'string', description: repeat(' ', bytes / 2) } } },
    }),
  'an example that many share': bytes =>
    api({
      paths: fields(bytes / 260, index => [
        `/a${index}`,
        { get: { parameters: [{ name: 'a', in: 'query', schema: ref('schemas/E') }] } },
      ]),
      components: {
        schemas: {
          E: { type: 'string', example: fields(bytes / 40, index => [`k${index}`, repeat('x', 20)]) },
        },
      },
    }),
  'named examples that many share': bytes =>
    api({
      paths: fields(bytes / 260, index => [`/a${index}`, { get: { parameters: [ref('parameters/P')] } }]),
      components: {
        parameters: {
          P: {
            name: 'a',
            in: 'query',
            schema: { type: 'string' },
            examples: fields(bytes / 40, index => [`k${index}`, { value: 1 }]),
          },
        },
      },
    }),
  'a long default, pattern and format that many share': bytes =>
    api({
      paths: fields(bytes / 260, index => [
        `/a${index}`,
        { get: { parameters: [{ name: 'a', in: 'query', schema: ref('schemas/E') }] } },
      ]),
      components: {
        schemas: {
          E: {
            type: 'string',
            default: repeat('d', bytes / 6),
            pattern: repeat('(', bytes / 6),
            format: repeat('f', bytes / 6),
          },
        },
      },
    }),
  'a server of open braces': bytes => api({ servers: [{ url: repeat('{', bytes) }], paths: {} }),
  'a path of open braces': bytes => api({ paths: { [`/${repeat('{x', bytes)}`]: { get: {} } } }),
  'security that no scheme declares': bytes =>
    api({
      security: list(bytes / 60, index => ({ [`s${index}`]: [] })),
      paths: fields(bytes / 60, index => [`/a${index}`, { get: {} }]),
    }),
  'a path item that many share': bytes =>
    api({
      paths: fields(bytes / 80, index => [`/a${index}`, ref('pathItems/P')]),
      components: {
        pathItems: {
          P: { get: { parameters: list(bytes / 100, index => ({ name: `h${index}`, in: 'cookie' })) } },
        },
      },
    }),
  'media types that many share': bytes =>
    api({
      paths: fields(bytes / 110, index => [`/a${index}`, { post: { requestBody: ref('requestBodies/B') } }]),
      components: {
        requestBodies: { B: { content: fields(bytes / 30, index => [`text/x${index}`, {}]) } },
      },
    }),
  'a path of placeholders': bytes => api({ paths: { [`/${repeat('{x}', bytes)}`]: { get: {} } } }),
  'a path of other placeholders': bytes =>
    api({ paths: { [list(bytes / 12, index => `/{x${index}}<y>/:z`).join('')]: { get: {} } } }),
  'short paths of many placeholders': bytes =>
    api({
      paths: fields(bytes / 2000, index => [
        list(200, part => `/{x${index}_${part}}`)
          .join('')
          .slice(0, 1990),
        { get: {} },
      ]),
    }),
  'a path item with placeholders that many share': bytes =>
    api({
      paths: fields(bytes / 80, index => [`/{a${index}}`, ref('pathItems/P')]),
      components: {
        pathItems: {
          P: { get: { parameters: list(bytes / 100, index => ({ name: `h${index}`, in: 'query' })) } },
        },
      },
    }),
  'read-only fields that many share, in paths with a placeholder': bytes =>
    api({
      paths: fields(bytes / 130, index => [`/{a}/${index}`, post(ref('schemas/S'))]),
      components: {
        schemas: {
          S: { type: 'object', properties: fields(bytes / 40, index => [`p${index}`, { readOnly: true }]) },
        },
      },
    }),
  'media types that many share, in paths with a placeholder': bytes =>
    api({
      paths: fields(bytes / 110, index => [
        `/{a}/${index}`,
        { post: { requestBody: ref('requestBodies/B') } },
      ]),
      components: {
        requestBodies: { B: { content: fields(bytes / 30, index => [`text/x${index}`, {}]) } },
      },
    }),
  'YAML: commas': bytes => repeat('[,', bytes),
  'YAML: commas in one list': bytes => `a: [${repeat(',', bytes / 2)}`,
  'YAML: a list': bytes => yaml(`a: [${repeat('ab,', bytes)}]`),
  'YAML: closing brackets': bytes => `a: ${repeat(']', bytes / 2)}`,
  'YAML: aliases of one anchor': bytes => yaml(`x: &x {}\na: [${repeat('*x,', bytes)}]`),
  'YAML: an anchor and an alias each': bytes =>
    yaml(list(bytes / 22, index => `a${index}: &a${index} 1\nb${index}: *a${index}`).join('\n')),
  'YAML: aliases of aliases': bytes =>
    yaml(
      `a0: &a0 [x]\n${list(bytes / 30, index => `a${index + 1}: &a${index + 1} [*a${index}]`).join('\n')}`,
    ),
  'YAML: a chain of merges': bytes =>
    yaml(
      `a0: &a0 {x: 1}\n${list(bytes / 45, index => `a${index + 1}: &a${index + 1} {<<: *a${index}, k${index}: 1}`).join('\n')}`,
    ),
  'YAML: operations that are aliases of one large map': bytes =>
    yaml(
      `x: &x {get: {}, ${list(bytes / 30, index => `k${index}: 1`).join(', ')}}\npaths:\n${list(bytes / 30, index => `  /a${index}: *x`).join('\n')}`,
    ),
  'YAML: keys': bytes => yaml(list(bytes / 20, index => `a-longer-key${index}: 1`).join('\n')),
  'YAML: tags': bytes => repeat('!ab ', bytes),
  'YAML: line breaks': bytes => `a: "${repeat('\n', bytes)}"`,
}

const curl: Record<string, (bytes: number) => string> = {
  'here-documents': bytes => `curl ${repeat('<<a ', bytes - 100)}`,
  'here-documents after a URL': bytes => `curl https://a.example ${repeat('<<a\n', bytes - 100)}`,
  braces: bytes => `curl https://a.example/${repeat('{a,', bytes - 100)}`,
  backquotes: bytes => `curl ${repeat('`', bytes - 100)}`,
  substitutions: bytes => `curl ${repeat('$(', bytes - 100)}`,
  'variables in double quotes': bytes => `curl "${repeat('$a', bytes - 100)}"`,
  'groups of short options': bytes =>
    `curl https://a.example ${repeat(`-${'s'.repeat(1900)} `, bytes - 100)}`,
  'one group of short options': bytes => `curl https://a.example -${repeat('s', bytes - 100)}`,
  'other commands': bytes => `curl https://a.example${repeat(';a', bytes - 100)}`,
  'curl commands': bytes => repeat('curl a;', bytes - 100),
  'a query of secrets': bytes => `curl -X POST 'https://a.example/?${repeat('key=b&', bytes - 100)}'`,
  'fields of a body': bytes =>
    `curl https://a.example -d '${JSON.stringify(fields(bytes / 16, index => [`k${index}`, 1]))}'`,
  'white space in a header': bytes => `curl https://a.example -H 'X-A: Bearer${repeat(' ', bytes - 100)}b'`,
  'a long path': bytes => `curl https://a.example/${repeat('a/', bytes - 100)}`,
  'line breaks and carets': bytes => repeat('^ \n', bytes - 100),
  'line breaks and backslashes': bytes => `curl https://a.example ${repeat('\\ \r\n', bytes - 100)}`,
  'backslashes in a row': bytes => `curl https://a.example ${repeat('\\', bytes - 100)}`,
  'spaces after backslashes': bytes => `curl https://a.example ${repeat('\\   ', bytes - 100)}`,
  'line breaks and backquotes': bytes => `curl https://a.example ${repeat('` \n', bytes - 100)}`,
  'carriage returns': bytes => `curl https://a.example ${repeat('\r', bytes - 100)}`,
  'options on lines of their own': bytes => `curl https://a.example${repeat('\n-s', bytes - 100)}`,
  'a body of placeholders': bytes => `curl https://a.example -d '{${repeat('{{a}}', bytes - 100)}'`,
  'a body of open placeholders': bytes => `curl https://a.example -d '{${repeat('{{a<b', bytes - 100)}'`,
  'a body of escaped quotes': bytes => `curl https://a.example -d '{"${repeat('\\"', bytes - 100)}'`,
  'a body of lost quotes': bytes => `curl https://a.example -d "{${repeat('""a', bytes - 100)}"`,
  'a body of variables': bytes => `curl https://a.example -d "{${repeat('$a', bytes - 100)}"`,
  'a form of brackets': bytes => `curl https://a.example -d '${repeat('a[', bytes - 100)}'`,
  'a URL of users': bytes => `curl 'https://${repeat('a:b@', bytes - 100)}a.example'`,
  'words of a prefix': bytes => `sudo ${repeat('a ', bytes - 100)}`,
  'typographic dashes': bytes => `curl https://a.example ${repeat('– ', bytes - 100)}`,
  'non-breaking spaces': bytes => `curl https://a.example ${repeat('\u00a0', bytes / 2)}`,
  'zero-width spaces in a quoted URL': bytes =>
    `curl "https://a.example/${repeat('\u200b\u200c', bytes / 6)}"`,
  'escaped quotes in a quoted URL': bytes => `curl "https://a.example/${repeat('\\"', bytes - 100)}\u200b"`,
  prompts: bytes => repeat('> ', bytes - 100),
}

/** Reads a document, which may be refused. */
export const readDocument = (text: string, format: ImportFormat) =>
  runImportJob({
    kind: 'preview',
    text,
    format,
    placeholders: {},
    choose: {},
    target: newConnection,
    baseUrl: null,
    config: newConfig(nowMs),
    variables: new Map(),
  })

/** Documents that hurt an import most, each made of about so many bytes, by the format that reads them. */
export const worstDocuments: readonly (readonly [
  name: string,
  format: ImportFormat,
  make: (bytes: number) => string,
])[] = [
  ...Object.entries(documents).map(([name, make]) => [`document: ${name}`, 'document', make] as const),
  ...Object.entries(openApi).map(([name, make]) => [`OpenAPI: ${name}`, 'openapi', make] as const),
  ...Object.entries(curl).map(([name, make]) => [`curl: ${name}`, 'curl', make] as const),
]
