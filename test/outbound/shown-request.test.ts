import { expect, test } from 'vitest'
import { actionRequest, shownRequest } from '#main/outbound/action-request.ts'
import type { ActionFields } from '#shared/model/action.ts'
import { action, parameter, signingSecret } from './support.ts'

const connection = {
  ...{ connectionId: 'conn_test', baseUrl: 'https://api.example', signingSecret, timeoutMs: 1000 },
}
const initiator = { source: 'workflow' } as const
const multipart = { 'Content-Type': 'multipart/form-data' }

/** Returns the headers of a call as they are recorded, with some arguments shown otherwise. */
function recorded(
  fields: Partial<ActionFields>,
  given: Record<string, unknown>,
  shown: Record<string, unknown>,
): Record<string, string> {
  const record = action({ method: 'POST', ...fields })
  const request = actionRequest(connection, record, given, initiator)
  if ('error' in request) throw new Error(request.error.message)
  return { ...request.rawHeaders, ...shownRequest(connection, record, given, shown).headers }
}

test('a private value changes nothing that is shown of a form of parts', () => {
  const fields = { headers: multipart, parameters: [{ ...parameter('pin'), in: 'body' as const }] }
  const shownOf = (pin: string) => recorded(fields, { pin }, { pin: '••••' })
  expect(shownOf('1234')).toEqual(shownOf('5678'))
  const file = { schema: { type: 'string', contentEncoding: 'base64' } }
  const withFile = { ...fields, parameters: fields.parameters.map(one => ({ ...one, ...file })) }
  expect(recorded(withFile, { pin: 'AAAA' }, { pin: '••••' })).toEqual(
    recorded(withFile, { pin: 'BBBB' }, { pin: '••••' }),
  )
})

test('a private header is hidden also where what is shown of it writes no header', () => {
  const parameters = [
    { ...parameter('key'), in: 'header' as const, wireName: 'X-Key' },
    { ...parameter('trace'), in: 'header' as const },
    { ...parameter('other'), in: 'header' as const },
  ]
  expect(recorded({ parameters }, { key: 'secret', trace: 't' }, { key: null, trace: 't' })).toEqual({
    'X-Key': '••••',
    trace: 't',
  })
})

test('a private header hides neither the URL nor the body', () => {
  const parameters = [
    { ...parameter('key'), in: 'header' as const, required: true },
    { ...parameter('id'), in: 'query' as const },
    { ...parameter('text'), in: 'body' as const },
  ]
  const record = action({ method: 'POST', path: '/orders', parameters })
  const given = { key: 'secret', id: '7', text: 'Hello' }
  expect(shownRequest(connection, record, given, { ...given, key: '••••' })).toMatchObject({
    url: 'https://api.example/orders?id=7',
    headers: { key: '••••' },
    body: '{"text":"Hello"}',
  })
})

test('a GET keeps the Content-Type that its action has', () => {
  const headers = { 'Content-Type': 'application/json' }
  const ofGet = (parameters: ActionFields['parameters']) =>
    actionRequest(connection, action({ headers, parameters }), {}, initiator).headers
  expect(ofGet([{ ...parameter('a'), in: 'query' }])).toEqual(headers)
  expect(ofGet([parameter('a')])).toEqual(headers)
})
