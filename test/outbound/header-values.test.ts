import { describe, expect, test } from 'vitest'
import { waitMs } from '../support/patience.ts'
import { action, serve, startCaller } from './support.ts'

const canary = 'canary-0123456789'
const headers = { 'X-Key': 'key {{KEY}}', 'X-Other': '{{OTHER}}{{KEY}}' }

/** A call that must not be made, and its error. */
async function refusal(variables: Record<string, string>, templates: Record<string, string> = headers) {
  let requests = 0
  const { url } = await serve((_request, response) => {
    requests++
    response.end()
  })
  const outcome = await startCaller({ variables }).run(url, { headers: templates })
  expect(requests).toBe(0)
  expect(outcome).toMatchObject({ ok: false, request: null, response: null, result: null, mapped: null })
  expect(JSON.stringify(outcome)).not.toContain(canary)
  return { ...outcome.error, variables: outcome.environmentVariables }
}

describe('a header', () => {
  test('with a variable that is not set names it, and no call is made', async () => {
    expect(await refusal({ OTHER: canary })).toEqual({
      code: 'missing_environment_variable',
      message: 'A header needs the environment variable KEY, which is not set. No request was sent.',
      data: { environmentVariables: ['KEY'] },
      variables: ['KEY', 'OTHER'],
    })
    expect((await refusal({})).message).toContain('variables KEY, OTHER, which are not set')
  })

  test.each([
    ['\r', 'a line break'],
    ['\n', 'a line break'],
    ['\r\nX-Admin: yes\r\n', 'a line break'],
    ['\0', 'a character that is not allowed in headers'],
    ['\x7f', 'a character that is not allowed in headers'],
    ['\u0100', 'a character outside Latin-1'],
    ['\u{1f600}', 'a character outside Latin-1'],
    ['\ud800', 'a character outside Latin-1'],
  ])('with %j in a variable is not sent', async (text, found) => {
    for (const value of [text, canary + text, text + canary, canary + text + canary]) {
      const { code, message } = await refusal({ KEY: value, OTHER: canary })
      expect(code).toBe('invalid_header_value')
      expect(message).toBe(`The header X-Key cannot be sent: the environment variable KEY contains ${found}.`)
    }
  })

  test('that is longer than any server takes is not sent', async () => {
    expect((await refusal({ KEY: canary.repeat(1000), OTHER: '' })).code).toBe('invalid_header_value')
  })

  test.each(['Keep-Alive', 'Upgrade', 'Expect', 'TE', 'Trailer', 'Proxy-Connection'])(
    '%s is not sent, since it is about the connection',
    async name => {
      expect((await refusal({}, { [name]: 'x' })).code).toBe('invalid_header_value')
    },
  )

  test('with tabs and the whole of Latin-1 arrives as it was', async () => {
    const latin1 = String.fromCharCode(...Array.from({ length: 128 }, (_, index) => 0x80 + index))
    const value = `a\tb ~!"#$%&'()*+,-./:;<=>?@[]^_\`{|}${latin1}z`
    let received: string | undefined
    const { url } = await serve((request, response) => {
      received = request.headers['x-key']?.toString()
      response.end()
    })
    await startCaller({ variables: { KEY: value } }).run(url, { headers: { 'X-Key': '{{KEY}}' } })
    expect(received).toBe(value)
  })

  test('has the value that the variable has at the moment of the call', async () => {
    const variables: Record<string, string> = { KEY: 'first-value-1' }
    const { url } = await serve((request, response) =>
      response.end(JSON.stringify(request.headers['x-key'] ?? null)),
    )
    const caller = startCaller({ variables })
    const fields = { headers: { 'X-Key': '{{KEY}}' } }
    const connection = { baseUrl: url, signingSecret: 'whsec_x', timeoutMs: waitMs }
    const record = action(fields)
    const call = () => caller.callOf(connection, record)
    expect(await call()).toMatchObject({ ok: true, result: '••••' })
    variables.KEY = 'short'
    expect(await call()).toMatchObject({ ok: true, result: 'short' })
    delete variables.KEY
    expect((await call()).error?.code).toBe('missing_environment_variable')
    variables.KEY = 'second-value-2'
    expect(await call()).toMatchObject({ ok: true, result: '••••' })
  })
})
