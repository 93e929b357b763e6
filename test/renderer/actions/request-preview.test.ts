import { describe, expect, test } from 'vitest'
import { actionRequest } from '#main/outbound/action-request.ts'
import { previewOf } from '#renderer/features/actions/preview/request-preview.ts'
import type { ActionFields } from '#shared/model/action.ts'
import type { Parameter } from '#shared/model/parameter.ts'

const baseUrl = 'https://api.example.com/v2'
const auth = { in: 'header', name: 'Authorization', value: 'Bearer {{ACME_TOKEN}}' } as const
const parameter = (name: string, fields: Partial<Parameter> = {}): Parameter => ({
  ...{ name, type: 'string', description: 'x', required: false },
  ...fields,
})
const action = (fields: Partial<ActionFields> = {}): ActionFields => ({
  ...{ name: 'Call', toolName: 'call', description: 'x', method: 'POST', path: '/a', headers: null },
  ...{ parameters: [], responseMapping: null, isEnabled: true },
  ...fields,
})
const type = (value: string) => ({ 'Content-Type': value })

const tags = parameter('tags', { isList: true, style: 'brackets', in: 'query' })
const given = { id: 'a/b', tags: ['x', 'y z'], note: 'é', size: 12, gone: null }
const path = { path: '/a/{id}?fixed=1', parameters: [parameter('id', { in: 'path', required: true }), tags] }
const cases: Readonly<Record<string, ActionFields>> = {
  'a plain GET': action({
    method: 'GET',
    parameters: [parameter('note'), parameter('size', { type: 'number' })],
  }),
  'a plain POST': action({ parameters: [parameter('note'), parameter('gone')] }),
  'a plain POST with a type of its own': action({
    headers: type('application/x-www-form-urlencoded'),
    parameters: [parameter('note')],
  }),
  'a path and a query': action({ ...path, method: 'GET' }),
  'a JSON body': action({ ...path, parameters: [...path.parameters, parameter('note', { wireName: 'N' })] }),
  'a form': action({
    headers: { ...type('application/x-www-form-urlencoded'), 'X-Key': '{{KEY}}' },
    parameters: [{ ...tags, in: 'body' }, parameter('v', { in: 'header', wireName: 'X-V', value: '1' })],
  }),
  'no body': action({ method: 'DELETE', sendsBody: false, headers: type('text/plain') }),
  'an entire text': action({
    headers: type('text/csv'),
    parameters: [parameter('note', { in: 'entireBody' })],
  }),
}

describe('the request that is shown before it is sent', () => {
  test.each(Object.entries(cases))('is the one that is sent: %s', (_, one) => {
    const names = new Set(one.parameters.map(({ name }) => name))
    const own = Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name)))
    const sent = actionRequest(
      { connectionId: 'c', baseUrl, signingSecret: 'whsec_x', timeoutMs: 1, auth },
      { actionId: 'a', ...one },
      own,
      { source: 'test' },
    )
    if (!('target' in sent)) throw new Error('It can be sent.')
    const shown = previewOf({ baseUrl, auth }, one, own)
    const query = shown.query.map(({ name, value }) => `${name}=${value}`).join('&')
    expect(shown.url + (query === '' ? '' : `?${query}`)).toBe(sent.origin + sent.target)
    expect(shown.body.kind === 'text' ? shown.body.text : '').toBe(sent.body)
    const headers = shown.headers.filter(({ isLater = false }) => !isLater)
    expect(Object.fromEntries(headers.map(({ name, value }) => [name, value]))).toEqual({
      ...sent.headers,
      ...sent.rawHeaders,
    })
  })

  test('names what is left out and what cannot be written, and shows the rest', () => {
    const shown = previewOf(
      { baseUrl, auth: { ...auth, in: 'query', name: 'key', value: '{{ACME_KEY}}' } },
      action({ ...path, parameters: [...path.parameters, parameter('note')] }),
      { id: '..', tags: ['x'] },
    )
    expect(shown).toMatchObject({
      url: 'https://api.example.com/v2/a/{id}',
      query: [
        { name: 'fixed', value: '1' },
        { name: 'tags%5B%5D', value: 'x' },
        { name: 'key', value: '{{ACME_KEY}}' },
      ],
      leftOut: ['note'],
      issues: [{ path: 'id' }],
    })
  })

  test('shows files as their size, and the signature as added later', () => {
    const { body, headers } = previewOf(
      { baseUrl: null },
      action({
        headers: type('multipart/form-data'),
        parameters: [
          parameter('file', { schema: { type: 'string', contentEncoding: 'base64' } }),
          parameter('note'),
        ],
      }),
      { file: 'aGVsbG8=', note: 'x' },
    )
    expect(body).toEqual({
      kind: 'parts',
      parts: [
        { name: 'file', value: '(file of 5 bytes)' },
        { name: 'note', value: 'x' },
      ],
    })
    expect(headers).toEqual([
      { name: 'Content-Type', value: 'multipart/form-data; boundary=…' },
      { name: 'x-service-timestamp', value: 'added when it is sent', isLater: true },
      { name: 'x-service-signature', value: 'added when it is sent, over the body', isLater: true },
    ])
  })
})
