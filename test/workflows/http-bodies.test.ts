import formbody from 'node:querystring'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow, Workflow } from '#shared/model/workflow.ts'
import { hmacHex } from '../signing/sender.ts'
import { createConnection } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()

type Received = {
  readonly method: string
  readonly type: string | undefined
  readonly body: unknown
  readonly bytes: Buffer
  readonly headers: Readonly<Record<string, unknown>>
}

/** A receiver that parses bodies by their Content-Type, and refuses what it cannot parse. */
let receiver: FastifyInstance
let url: string
const received: Received[] = []

beforeAll(async () => {
  receiver = Fastify()
  receiver.removeAllContentTypeParsers()
  const raw = new WeakMap<object, Buffer>()
  const parse = (type: string | RegExp, read: (bytes: Buffer, contentType: string) => unknown) =>
    receiver.addContentTypeParser(type, { parseAs: 'buffer' }, (request, bytes, done) => {
      raw.set(request, Buffer.from(bytes))
      try {
        done(null, read(Buffer.from(bytes), request.headers['content-type'] ?? ''))
      } catch (error) {
        done(Object.assign(error instanceof Error ? error : new Error(), { statusCode: 400 }))
      }
    })
  parse(/^(?:application|text)\/(?:[\w.+-]+\+)?json/, bytes => JSON.parse(bytes.toString()))
  parse('application/x-www-form-urlencoded', bytes => ({ ...formbody.parse(bytes.toString()) }))
  parse(/^text\/|xml/, (bytes, type) => bytes.toString(/iso-8859-1/i.test(type) ? 'latin1' : 'utf8'))
  receiver.all('/*', request => {
    received.push({
      method: request.method,
      type: request.headers['content-type'],
      body: request.body,
      bytes: raw.get(request) ?? Buffer.alloc(0),
      headers: request.headers,
    })
    return { ok: true }
  })
  url = await receiver.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => receiver.close())
beforeEach(() => {
  received.length = 0
})

const payload = {
  id: 'ORD-1',
  total: 12.5,
  note: 'a&b=c d/"ü"',
  customer: { name: 'Maya', tags: ['a', 'b'] },
  json: '{"from":"event"}',
  word: 'hello',
}

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const text = 'text/plain; charset=utf-8'

/** Runs a workflow of one HTTP step, and returns what the receiver got. */
async function send(
  step: object,
  more: object = {},
): Promise<{ run: RunDetails; got: Received | undefined }> {
  const { rest } = await cleanService()
  const created = await rest('POST', '/workflows', {
    name: 'Send',
    trigger: { type: 'external.event' },
    steps: [{ key: 'send', type: 'http', method: 'POST', url: `${url}/in`, ...step }],
  })
  const { workflowId } = Workflow.parse(created.body)
  const tested = await rest('POST', `/workflows/${workflowId}/test`, { payload, ...more })
  return { run: RunDetails.parse(tested.body), got: received.at(-1) }
}

describe('the body of an HTTP step', () => {
  test.each<[string, object | undefined, unknown, string | undefined, unknown]>([
    ['an object without a type', undefined, { id: '{{id}}', n: '{{total}}' }, json, { id: 'ORD-1', n: 12.5 }],
    ['a list without a type', undefined, ['{{id}}'], json, ['ORD-1']],
    ['the text of JSON without a type', undefined, ' {"id": "{{id}}"}', json, { id: 'ORD-1' }],
    [
      'the text of JSON with a quote in a value',
      undefined,
      '{"note": "<{{note}}>"}',
      json,
      { note: `<${payload.note}>` },
    ],
    [
      'the text of JSON with a variable outside of quotes',
      undefined,
      '[{{total}},{{customer}}]',
      json,
      [12.5, payload.customer],
    ],
    ['the text of JSON with its type', { 'Content-Type': json }, '{"a":{"b":[1]}}', json, { a: { b: [1] } }],
    ['a word with the type of JSON', { 'Content-Type': json }, 'hello', json, 'hello'],
    ['a variable with the type of JSON', { 'Content-Type': json }, '{{word}}', json, 'hello'],
    ['a variable with the text of JSON', { 'Content-Type': json }, '{{json}}', json, { from: 'event' }],
    ['a variable with the text of JSON, without a type', undefined, '{{json}}', json, { from: 'event' }],
    ['a variable with an object', undefined, '{{customer}}', json, payload.customer],
    ['a variable with a number', undefined, '{{total}}', json, 12.5],
    ['a text without a type', undefined, 'Order {{id}}: {{note}}', text, `Order ORD-1: ${payload.note}`],
    ['a text in brackets without a type', undefined, '[ALERT] {{id}}', text, '[ALERT] ORD-1'],
    ['a variable with a text, without a type', undefined, '{{word}}', text, 'hello'],
    [
      'JSON of another media type',
      { 'content-type': 'application/vnd.api+json' },
      '{"id":"{{id}}"}',
      'application/vnd.api+json',
      { id: 'ORD-1' },
    ],
    [
      'JSON with parameters',
      { 'CONTENT-TYPE': 'Application/JSON ; charset="UTF-8"' },
      { id: '{{id}}' },
      'Application/JSON ; charset="UTF-8"',
      { id: 'ORD-1' },
    ],
    [
      'a form text',
      { 'Content-Type': form },
      'grant_type=client_credentials&note={{note}}',
      form,
      { grant_type: 'client_credentials', note: payload.note },
    ],
    [
      'a form object',
      { 'Content-Type': form },
      { id: '{{id}}', total: '{{total}}', note: '{{note}}' },
      form,
      { id: 'ORD-1', total: '12.5', note: payload.note },
    ],
    [
      'a nested form object',
      { 'Content-Type': form },
      {
        customer: '{{customer}}',
        lines: [{ sku: 'A' }, { sku: 'B' }],
        'expand[]': ['x', 'y'],
        on: true,
        no: null,
        none: [],
      },
      form,
      {
        ...{
          'customer[name]': 'Maya',
          'customer[tags]': ['a', 'b'],
          'lines[0][sku]': 'A',
          'lines[1][sku]': 'B',
        },
        ...{ 'expand[]': ['x', 'y'], on: 'true', no: '' },
      },
    ],
    [
      'a form with parameters',
      { 'content-TYPE': `${form}; charset=UTF-8` },
      'a={{note}}',
      `${form}; charset=UTF-8`,
      { a: payload.note },
    ],
    [
      'a variable as a form',
      { 'Content-Type': form },
      '{{customer}}',
      form,
      { name: 'Maya', tags: ['a', 'b'] },
    ],
    ['plain text', { 'Content-Type': 'text/plain' }, 'Order "{{id}}"', 'text/plain', 'Order "ORD-1"'],
    [
      'plain text that is JSON',
      { 'Content-Type': 'text/plain' },
      '{"id": {{total}} }',
      'text/plain',
      '{"id": 12.5 }',
    ],
    [
      'an object as plain text',
      { 'Content-Type': 'text/plain' },
      { id: '{{id}}' },
      'text/plain',
      '{"id":"ORD-1"}',
    ],
    ['a number as plain text', { 'Content-Type': 'text/plain' }, '{{total}}', 'text/plain', '12.5'],
    [
      'XML',
      { 'Content-Type': 'application/xml' },
      '<order id="{{id}}"/>',
      'application/xml',
      '<order id="ORD-1"/>',
    ],
    [
      'XML with a charset',
      { 'Content-Type': 'text/xml; charset=UTF-8' },
      '<a>{{note}}</a>',
      'text/xml; charset=UTF-8',
      `<a>${payload.note}</a>`,
    ],
    [
      'text in Latin-1',
      { 'Content-Type': 'text/plain; charset=ISO-8859-1' },
      '{{note}}',
      'text/plain; charset=ISO-8859-1',
      payload.note,
    ],
  ])('is sent as it is meant: %s', async (_, headers, body, type, expected) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { run, got } = await send({ method, headers, body })
      expect(run).toMatchObject({ status: 'succeeded', error: null })
      expect({ type: got?.type, body: got?.body }).toEqual({ type, body: expected })
    }
  })

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
    'is left out of a %s without one, with its Content-Type',
    async method => {
      for (const step of [{ method }, { method, body: '' }]) {
        const { run, got } = await send(step)
        expect(run.status).toBe('succeeded')
        expect(got).toMatchObject({ method, type: undefined, bytes: Buffer.alloc(0) })
      }
    },
  )

  test('is left out of a GET', async () => {
    const { run, got } = await send({ method: 'GET', body: { id: '{{id}}' } })
    expect(got).toMatchObject({ type: undefined, bytes: Buffer.alloc(0) })
    expect(run.steps[0]?.attempts[0]?.input).toEqual({ method: 'GET', url: `${url}/in`, headers: {} })
  })

  test.each([
    ['text/plain; charset=iso-8859-1', '€ {{id}}'],
    ['text/plain; charset=windows-1250', '{{note}}'],
    ['text/plain; charset=utf-16', '{{id}}'],
  ])('is not sent in another charset than its Content-Type names: %s', async (type, body) => {
    const { run } = await send({ headers: { 'Content-Type': type }, body })
    expect(run.error?.code).toBe('invalid_body')
    expect(received).toEqual([])
  })

  test.each([
    ['JSON', undefined, { note: '{{note}}' }],
    ['a form', form, { note: '{{note}}' }],
    ['a form text', form, 'note={{note}}'],
    ['text', 'text/plain', 'ü {{note}}'],
    ['text in Latin-1', 'text/plain; charset=iso-8859-1', 'ü {{note}}'],
    ['no body', undefined, undefined],
  ])('is signed with the exact bytes that are sent: %s', async (_, type, body) => {
    const { rest } = await cleanService()
    const { connectionId, credentials } = await createConnection(rest)
    const headers = type === undefined ? {} : { 'Content-Type': type }
    const created = await rest('POST', '/workflows', {
      name: 'Send',
      trigger: { type: 'external.event' },
      steps: [
        {
          key: 'send',
          type: 'http',
          method: 'POST',
          url: `${url}/in`,
          headers,
          body,
          signWith: connectionId,
        },
      ],
    })
    const { workflowId } = Workflow.parse(created.body)
    await rest('POST', `/workflows/${workflowId}/test`, { payload })
    const [got] = received
    const message = Buffer.concat([
      Buffer.from(`${String(got?.headers['x-service-timestamp'])}.`),
      got?.bytes ?? Buffer.alloc(0),
    ])
    expect(got?.headers['x-service-signature']).toBe(`sha256=${hmacHex(credentials.signingSecret, message)}`)
  })

  test('is refused when an event makes a nested form too large', async () => {
    const deep = (levels: number): unknown => (levels === 0 ? 'x'.repeat(900_000) : { k: deep(levels - 1) })
    const { run } = await send(
      { headers: { 'Content-Type': form }, body: { a: '{{a}}', b: '{{a}}' } },
      { payload: { a: deep(10) } },
    )
    expect(run.error?.code).toBe('input_too_large')
  })

  test('is text where its JSON is nested too deep to be read', async () => {
    const body = '['.repeat(20_000) + ']'.repeat(20_000)
    const { run, got } = await send({ body })
    expect([run.status, got?.type, got?.body]).toEqual(['succeeded', text, body])
  })
})

/** Returns the issues of a workflow with one HTTP step. */
async function issuesOf(step: object): Promise<{ path: string; code: string; severity: string }[]> {
  const { rest } = await cleanService()
  const created = await rest('POST', '/workflows', {
    name: 'Send',
    trigger: { type: 'external.event' },
    steps: [{ key: 'send', type: 'http', method: 'POST', url: `${url}/in`, ...step }],
  })
  const { issues } = CheckedWorkflow.parse(created.body)
  return issues.map(({ path, code, severity }) => ({ path, code, severity }))
}

describe('a body that its Content-Type does not fit has a warning', () => {
  test.each<[string, Readonly<Record<string, string>> | undefined, unknown, boolean]>([
    ['a trailing comma, as JSON', { 'Content-Type': json }, '{"a": {{total}},}', true],
    ['a trailing comma, without a type', undefined, '{"a": 1,}', true],
    ['single quotes', { 'Content-Type': json }, "{'a': '{{id}}'}", true],
    ['a comment', { 'content-type': 'application/vnd.api+json' }, '{"a": 1 // all\n}', true],
    ['a missing bracket', undefined, '[{"id": "{{id}}"}', true],
    ['typographic quotation marks', { 'Content-Type': json }, '{“a”: 1}', true],
    ['names without quotation marks', { 'Content-Type': json }, '{a: 1}', true],
    ['a quotation mark too few', undefined, '{"a": "{{id}}}', true],
    ['lines of JSON', undefined, '{"a": 1}\n{"a": 2}', true],
    ['an object as a multipart form', { 'Content-Type': 'multipart/form-data' }, { a: 1 }, true],
    ['a list as a multipart form', { 'Content-Type': 'Multipart/form-data; boundary=b' }, ['a'], true],
    ['JSON', { 'Content-Type': json }, '{"a": {{total}}}', false],
    ['a variable', { 'Content-Type': json }, '{{note}}', false],
    ['a variable and a text', undefined, '{{id}}: {{note}}', false],
    ['a word', { 'Content-Type': json }, 'hello', false],
    ['a text in brackets', undefined, '[ALERT] {{id}}', false],
    ['braces in a text', undefined, '{total} of {{id}}', false],
    ['braces of another language', { 'Content-Type': 'application/graphql' }, '{"a": 1,}', false],
    ['lines of JSON with their type', { 'Content-Type': 'application/x-ndjson' }, '{"a":1}\n{"a":2}', false],
    ['a type from a variable', { 'Content-Type': '{{word}}' }, '{"a": 1,}', false],
    ['a written multipart form', { 'Content-Type': 'multipart/form-data; boundary=b' }, '--b--', false],
    ['an object', { 'Content-Type': 'text/plain' }, { a: 1 }, false],
    ['no body', { 'Content-Type': json }, undefined, false],
  ])('%s', async (_what, headers, body, warns) => {
    const issue = { path: 'steps.0.body', code: 'body_mismatch', severity: 'warning' }
    const found = (await issuesOf({ headers, body })).filter(({ path }) => path === 'steps.0.body')
    expect(found).toEqual(warns ? [issue] : [])
  })
})
