import { expect, test } from 'vitest'
import { writeRequest } from '#shared/request/write-request.ts'
import { read } from './fixtures.ts'

const form = 'application/x-www-form-urlencoded'
const texts = { type: 'array', items: { type: 'string' } }
const range = { type: 'object', properties: { gte: { type: 'integer' }, lt: { type: 'integer' } } }
const deep = { style: 'deepObject', explode: true }
const id = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } })

type Excerpt = {
  readonly method: string
  readonly path: string
  readonly operation: object
  readonly version?: object
  readonly given: Record<string, unknown>
  readonly sent: string
  readonly body?: string
}

/** Excerpts of the documents of providers: each way in which they write a request, once. */
const excerpts: Record<string, Excerpt> = {
  'objects and lists in a form, deep (Stripe)': {
    method: 'post',
    path: '/v1/charges/{charge}',
    operation: {
      parameters: [id('charge')],
      requestBody: {
        content: {
          [form]: {
            encoding: { shipping: deep, expand: deep, lines: deep, metadata: deep },
            schema: {
              type: 'object',
              properties: {
                amount: { type: 'integer' },
                expand: texts,
                lines: {
                  type: 'array',
                  items: { type: 'object', properties: { price: { type: 'integer' } } },
                },
                metadata: {
                  anyOf: [{ type: 'object', additionalProperties: { type: 'string' } }, { enum: [''] }],
                },
                shipping: { type: 'object', properties: { address: { type: 'object' } } },
              },
            },
          },
        },
      },
    },
    given: {
      ...{ charge: 'ch/1', amount: 5, expand: ['a', 'b'], lines: [{ price: 1 }, { price: 2 }] },
      ...{ metadata: { 'a b': 'x=y' }, shipping: { address: { city: 'Köln' } } },
    },
    sent: 'POST /v1/charges/ch%2F1',
    body:
      'amount=5&expand%5B0%5D=a&expand%5B1%5D=b&lines%5B0%5D%5Bprice%5D=1&lines%5B1%5D%5Bprice%5D=2' +
      '&metadata%5Ba%20b%5D=x%3Dy&shipping%5Baddress%5D%5Bcity%5D=K%C3%B6ln',
  },
  'a range or a number, and a list, in a query (Stripe)': {
    method: 'get',
    path: '/v1/charges',
    operation: {
      parameters: [
        { name: 'created', in: 'query', ...deep, schema: { anyOf: [range, { type: 'integer' }] } },
        { name: 'expand', in: 'query', ...deep, schema: texts },
      ],
    },
    given: { created: { gte: 1, lt: 9 }, expand: ['data.customer'] },
    sent: 'GET /v1/charges?created%5Bgte%5D=1&created%5Blt%5D=9&expand%5B0%5D=data.customer',
  },
  'a list repeated in a form (Twilio)': {
    method: 'post',
    path: '/Accounts/{AccountSid}/Calls.json',
    operation: {
      parameters: [id('AccountSid')],
      requestBody: {
        content: {
          [form]: { schema: { type: 'object', properties: { To: { type: 'string' }, Event: texts } } },
        },
      },
    },
    given: { AccountSid: 'AC1', To: '+1 5', Event: ['initiated', 'answered'] },
    sent: 'POST /Accounts/AC1/Calls.json',
    body: 'To=%2B1%205&Event=initiated&Event=answered',
  },
  'names that no argument can have (Twilio)': {
    method: 'get',
    path: '/Calls.json',
    operation: {
      parameters: ['StartTime', 'StartTime<', 'StartTime>'].map(name => ({
        ...{ name, in: 'query', schema: { type: 'string', format: 'date' } },
      })),
    },
    given: { StartTime_2: '2026-01-02', StartTime_3: '2026-01-01' },
    sent: 'GET /Calls.json?StartTime%3C=2026-01-02&StartTime%3E=2026-01-01',
  },
  'a list with commas in a query (Asana)': {
    method: 'get',
    path: '/tasks',
    operation: {
      parameters: [
        { name: 'opt_fields', in: 'query', style: 'form', explode: false, schema: texts },
        { name: 'opt_pretty', in: 'query', schema: { type: 'boolean' } },
      ],
    },
    given: { opt_fields: ['name', 'a,b'], opt_pretty: true },
    sent: 'GET /tasks?opt_fields=name,a%2Cb&opt_pretty=true',
  },
  'nested objects as JSON (Asana)': {
    method: 'put',
    path: '/tasks/{task_gid}',
    operation: {
      parameters: [id('task_gid'), { name: 'opt_pretty', in: 'query', schema: { type: 'boolean' } }],
      requestBody: {
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: {
                data: {
                  allOf: [{ type: 'object', properties: { name: { type: 'string' } } }, { nullable: true }],
                },
              },
            },
          },
        },
      },
    },
    given: { task_gid: '1', opt_pretty: false, data: { name: 'Buy', due_on: null } },
    sent: 'PUT /tasks/1?opt_pretty=false',
    body: '{"data":{"name":"Buy","due_on":null}}',
  },
  'a union as the whole body (GitHub)': {
    method: 'post',
    path: '/repos/{owner}/labels',
    operation: {
      parameters: [id('owner')],
      requestBody: {
        content: {
          'application/json': {
            schema: { oneOf: [{ type: 'object', properties: { labels: texts } }, texts] },
          },
        },
      },
    },
    given: { owner: 'acme', body: ['x/y'] },
    sent: 'POST /repos/acme/labels',
    body: '["x/y"]',
  },
  'null among the alternatives of a field (GitHub)': {
    method: 'patch',
    path: '/issues/{number}',
    operation: {
      parameters: [{ name: 'number', in: 'path', required: true, schema: { type: 'integer' } }],
      requestBody: {
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: {
                milestone: { nullable: true, oneOf: [{ type: 'string' }, { type: 'integer' }] },
                state: { nullable: true, enum: ['open', 'closed'] },
              },
            },
          },
        },
      },
    },
    given: { number: 7, milestone: null, state: null },
    sent: 'PATCH /issues/7',
    body: '{"milestone":null,"state":null}',
  },
  'a call without a body (GitHub)': {
    method: 'put',
    path: '/user/starred/{repo}',
    operation: { parameters: [id('repo')] },
    given: { repo: 'shop' },
    sent: 'PUT /user/starred/shop',
  },
  'formData and a header of Swagger 2.0 (Slack)': {
    method: 'post',
    path: '/pins.add',
    version: { swagger: '2.0', host: 'slack.example', schemes: ['https'] },
    operation: {
      consumes: [form, 'application/json'],
      parameters: [
        { in: 'header', name: 'token', required: true, type: 'string' },
        { in: 'formData', name: 'channel', required: true, type: 'string' },
        { in: 'formData', name: 'ids', type: 'array', items: { type: 'string' }, collectionFormat: 'pipes' },
      ],
    },
    given: { token: 'xoxb', channel: 'C1 & C2', ids: ['a', 'b'] },
    sent: 'POST /pins.add',
    body: 'channel=C1%20%26%20C2&ids=a|b',
  },
}

test.each(Object.entries(excerpts))(
  '%s',
  (_name, { method, path, operation, version, given, sent, body }) => {
    const text = JSON.stringify({
      ...(version ?? { openapi: '3.0.3', servers: [{ url: 'https://api.example' }] }),
      info: { title: 'Excerpt', version: '1' },
      paths: { [path]: { [method]: { ...operation, responses: { 200: { description: 'OK' } } } } },
    })
    const [action] = read(text, 'auto').content?.actions ?? []
    expect(action?.fields).toMatchObject({ isEnabled: true })
    if (action === undefined) return
    const { headers = null, sendsBody, ...fields } = action.fields
    const request = writeRequest({ ...fields, headers, sendsBody }, given)
    if ('issues' in request) throw new Error(JSON.stringify(request.issues))
    expect(`${fields.method} ${request.path}`).toBe(sent)
    expect('text' in request.body ? request.body.text : undefined).toBe(body)
  },
)
