import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { ActionFields } from '#shared/model/action.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { missingOf, titled } from '../support/has-program.ts'
import { action, parameter, serve, signingSecret, startCaller } from './support.ts'

const missing = missingOf('python3')
const Seen = z.object({
  verified: z.boolean(),
  target: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.base64().transform(text => Buffer.from(text, 'base64').toString('latin1')),
})

const sent = (name: string, fields: Partial<Parameter>): Parameter => ({
  ...parameter(name, 'string', true),
  ...fields,
})
const file = { schema: { type: 'string', contentEncoding: 'base64' } }

describe.skipIf(missing.length > 0)(titled('a receiver in Python', missing), () => {
  let stop = () => {}
  let url = ''
  beforeAll(async () => {
    const child = spawn(
      'python3',
      ['-B', join(import.meta.dirname, 'receivers/receiver.py'), signingSecret],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    stop = () => child.kill()
    const [port] = await once(child.stdout, 'data')
    url = `http://127.0.0.1:${String(port).trim()}/v2`
  })
  afterAll(() => stop())

  async function call(fields: Partial<ActionFields>, given: Record<string, unknown>) {
    const outcome = await startCaller().run(url, { method: 'POST', ...fields }, given)
    expect(outcome.error).toBe(null)
    const { verified, target, headers, body } = Seen.parse(outcome.result)
    const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? null
    expect(verified).toBe(true)
    return { target, headers, body, type, outcome }
  }

  test('gets path, query, header, and JSON, signed', async () => {
    const parameters = [
      sent('owner', { in: 'path' }),
      sent('labels', { in: 'query', isList: true, style: 'comma' }),
      sent('trace', { in: 'header', wireName: 'X-Trace' }),
      sent('version', { in: 'header', wireName: 'X-Version', value: '2026-11-28' }),
      sent('title', { wireName: 'the title' }),
    ]
    const given = { owner: 'a/b', labels: ['bug', 'a,b'], trace: 't1', title: 'é' }
    const { target, headers, body, type } = await call({ path: '/repos/{owner}/issues', parameters }, given)
    expect(target).toBe('/v2/repos/a%2Fb/issues?labels=bug,a%2Cb')
    expect(headers).toEqual(
      expect.arrayContaining([
        ['x-trace', 't1'],
        ['x-version', '2026-11-28'],
      ]),
    )
    expect([type, Buffer.from(body, 'latin1').toString()]).toEqual(['application/json', '{"the title":"é"}'])
  })

  test('gets a form, signed', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const parameters = [sent('items', { type: 'object', isList: true, in: 'body', style: 'indexed' })]
    const { body, type } = await call({ headers, parameters }, { items: [{ price: 'p 1', quantity: 2 }] })
    expect([type, body]).toEqual([
      headers['Content-Type'],
      'items%5B0%5D%5Bprice%5D=p%201&items%5B0%5D%5Bquantity%5D=2',
    ])
  })

  test('gets a form of parts with the bytes of a file, which are not shown', async () => {
    const headers = { 'Content-Type': 'multipart/form-data' }
    const parameters = [sent('title', { in: 'body' }), sent('file', { in: 'body', ...file })]
    const bytes = Buffer.from([0, 255, 13, 10])
    const { body, type, outcome } = await call(
      { headers, parameters },
      { title: 'é', file: bytes.toString('base64') },
    )
    const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(type ?? '')?.[1]
    const parsed = await new Response(Buffer.from(body, 'latin1'), {
      headers: { 'Content-Type': type ?? '' },
    }).formData()
    expect(parsed.get('title')).toBe('é')
    const part = parsed.get('file')
    expect(part instanceof File && Buffer.from(await part.arrayBuffer())).toEqual(bytes)
    expect(outcome.request?.body).toContain('(4 bytes)')
    expect(outcome.request?.body).toContain(`--${boundary}--`)
  })

  test('gets a text as it is, and bytes', async () => {
    const ofType = (type: string) => ({ 'content-type': type })
    const xml = await call(
      { headers: ofType('text/xml'), parameters: [sent('body', { in: 'entireBody' })] },
      { body: '<a/>' },
    )
    expect([xml.type, xml.body]).toEqual(['text/xml', '<a/>'])
    const png = await call(
      { headers: ofType('image/png'), parameters: [sent('body', { in: 'entireBody', ...file })] },
      { body: '/wAB' },
    )
    expect([png.type, png.body]).toEqual(['image/png', '\xff\x00\x01'])
    expect(png.outcome.request?.body).toBe('(3 bytes)')
  })

  test('gets no body and no Content-Type where there is none', async () => {
    const { target, body, type } = await call({ sendsBody: false, parameters: [sent('a', {})] }, { a: '1' })
    expect([target, body, type]).toEqual(['/v2?a=1', '', null])
    const optional = sent('body', { in: 'entireBody', type: 'object', required: false })
    expect(await call({ parameters: [optional] }, {})).toMatchObject({ body: '', type: null })
  })
})

test('arguments that cannot be sent make no request, and are named by their paths', async () => {
  let requests = 0
  const { url } = await serve((_request, response) => {
    requests++
    response.end()
  })
  const schema = { type: 'object', properties: { op: { enum: ['eq', 'lt'] } }, required: ['op'] }
  const parameters = [
    sent('id', { in: 'path' }),
    sent('filters', { type: 'object', isList: true, schema, in: 'query', style: 'indexed' }),
    sent('version', { in: 'query', value: 'v1' }),
  ]
  const issuesOf = async (given: Record<string, unknown>) => {
    const { error } = await startCaller().run(url, { method: 'POST', path: '/{id}', parameters }, given)
    expect(error?.code).toBe('invalid_arguments')
    return z
      .object({ issues: z.array(z.object({ path: z.string() })) })
      .parse(error?.data)
      .issues.map(({ path }) => path)
  }
  expect(await issuesOf({ id: '..', filters: [] })).toEqual(['id'])
  expect(await issuesOf({ id: 'a', filters: [{ op: 'eq' }, { op: 'gt' }, {}, 1] })).toEqual([
    'filters.1.op',
    'filters.2.op',
    'filters.3',
  ])
  expect(await issuesOf({ id: 'a', filters: {}, version: 'v2' })).toEqual(['filters', 'version'])
  expect(requests).toBe(0)
})

test('a pattern that takes too long refuses its text', async () => {
  const parameters = [sent('a', { schema: { type: 'string', pattern: '^(a|a)*$' } })]
  const { error } = await startCaller().run('http://127.0.0.1:9', action({ parameters }), {
    a: `${'a'.repeat(60)}b`,
  })
  expect(error?.message).toContain('its pattern ^(a|a)*$ takes too long')
})
