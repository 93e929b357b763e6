/** Documents whose previews take long to read, to make or to answer. */

const mebibyte = 1024 * 1024

/** A collection of so many requests, each with a path and a query of its own. */
function postmanCollection(requests: number): string {
  const item = Array.from({ length: requests }, (_, index) => ({
    name: `Find order ${index}`,
    request: {
      method: index % 2 === 0 ? 'GET' : 'POST',
      description: `Finds the orders of kind ${index}. Use it when somebody asks where an order is.`,
      header: [{ key: 'X-Kind', value: String(index) }],
      url: {
        raw: `https://api.example.com/orders/kind-${index}/:id?expand=lines`,
        protocol: 'https',
        host: ['api', 'example', 'com'],
        path: ['orders', `kind-${index}`, ':id'],
        query: [{ key: 'expand', value: 'lines' }],
        variable: [{ key: 'id', value: '' }],
      },
      ...(index % 2 === 1 && {
        body: { mode: 'raw', raw: '{"note":"a"}', options: { raw: { language: 'json' } } },
      }),
    },
  }))
  const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'
  return JSON.stringify({ info: { name: 'Large', schema }, item })
}

/** A description of an API whose schemas have about so many bytes of nested objects. */
function nestedSchemas(bytes: number): string {
  const deep = `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`
  const schemas = Array.from(
    { length: Math.floor(bytes / (deep.length + 20)) },
    (_, index) => `"s${index}":${deep}`,
  )
  const paths = '{"/orders":{"get":{"operationId":"orders","responses":{}}}}'
  const info = '{"title":"Nested","version":"1"}'
  return `{"openapi":"3.1.0","info":${info},"paths":${paths},"components":{"schemas":{${schemas.join(',')}}}}`
}

/** A description of 1,000 operations with so many placeholders in their paths. */
function placeholders(count: number): string {
  const paths = Array.from({ length: 1000 }, (_, path) => {
    const names = Array.from({ length: count / 1000 }, (_, index) => `{p${path}_${index}}`)
    return [`/orders/${names.join('/')}`, { get: { operationId: `orders${path}`, responses: {} } }]
  })
  return JSON.stringify({
    ...{ openapi: '3.1.0', info: { title: 'Placeholders', version: '1' } },
    ...{ servers: [{ url: 'https://api.example.com' }], paths: Object.fromEntries(paths) },
  })
}

export const largeImports = {
  'import-postman': {
    title: 'previews of a Postman collection of 5,000 requests',
    text: () => postmanCollection(5000),
  },
  'import-nested': {
    title: 'previews of 13.5 MiB of nested objects',
    text: () => nestedSchemas(13.5 * mebibyte),
  },
  'import-placeholders': { title: 'previews of 100,000 placeholders', text: () => placeholders(100_000) },
  'import-refused': { title: 'refused previews of 17 MB', text: () => '{"a":"b"}'.repeat(17e6 / 9) },
} as const
