import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { curlForCall, type ShownCall } from '#renderer/entities/snippet/call-as-curl.ts'
import { Method } from '#shared/model/method.ts'
import { createAction, testAction } from '../../../support/actions.ts'
import { type ExternalSystem, isSigned, startExternalSystem } from '../../../support/external-system.ts'
import { createConnection } from '../../../support/rest-client.ts'
import { startService } from '../../../support/service-fixture.ts'
import { anyText, traps } from './awkward.ts'
import { type Finished, finish, folderWith, runnableLanguages, start } from './runtimes.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwFzZ3Yx0aB1c'

test('signs the call with a fresh timestamp', () => {
  const call: ShownCall = {
    method: 'PATCH',
    url: 'https://api.example/v2/orders?a=1&b[]=2',
    headers: {
      'Content-Type': 'application/json',
      Authorization: 'Bearer {{API_KEY}}',
      'x-service-timestamp': '1795271515090',
      'X-Service-Signature': 'sha256=ab',
    },
    body: '{"note":"it\'s"}',
  }
  expect(curlForCall(call)).toBe(`\
(
  # The whole string is the key, whsec_ included
  SECRET="\${CC_SIGNING_SECRET:?}"
  URL='https://api.example/v2/orders?a=1&b[]=2'
  BODY='{"note":"it'\\''s"}'

  TS=$(date +%s)000
  SIG=$(printf '%s.%s' "$TS" "$BODY" \\
    | openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* //')

  curl -sSg -X PATCH "$URL" \\
    -H 'Content-Type: application/json' \\
    -H "Authorization: Bearer \${API_KEY:?}" \\
    -H "x-service-timestamp: $TS" \\
    -H "x-service-signature: sha256=$SIG" \\
    --data-raw "$BODY"
)`)
})

describe.each(runnableLanguages(['curl']))('run, with %s', () => {
  let system: ExternalSystem
  beforeEach(async () => {
    system = await startExternalSystem()
  })

  async function runCall(call: ShownCall, env: Record<string, string> = {}, key = secret): Promise<Finished> {
    const folder = await folderWith('call.sh', curlForCall(call))
    return finish(start({ folder, command: 'bash call.sh', env: { CC_SIGNING_SECRET: key, ...env } }))
  }

  test('repeats the service’s request with its own values of the variables', async () => {
    const { rest } = await startService({ service: { env: { API_KEY: 'key of the service' } } })
    const { connectionId, credentials } = await createConnection(rest, { baseUrl: system.url })
    const headers = { 'X-Key': 'k={{API_KEY}};', 'X-Note': 'caf\u00e9 "!" \\ \' $1', 'X-Empty': '' }
    for (const method of Method.options) {
      const parameters = [{ name: 'text', type: 'string', description: 'Any', required: true }]
      const fields = { name: method, method, path: '/a?list[]=1,2', headers, parameters }
      const { actionId } = await createAction(rest, connectionId, fields)
      const { request } = await testAction(rest, { connectionId, actionId }, { text: traps.join(' ') })
      if (request === null) throw new Error('No request was made.')
      const call = { ...request, method, headers: { ...request.headers, ...headers } }
      const { stdout, stderr } = await runCall(call, { API_KEY: 'my key' }, credentials.signingSecret)
      expect({ stdout, stderr }).toEqual({ stdout: '{"ok":true}', stderr: '' })

      const [first, second, ...rest2] = system.requests.splice(0)
      if (first === undefined || second === undefined) throw new Error('There should be two requests.')
      expect(rest2).toEqual([])
      expect(isSigned(second, credentials.signingSecret)).toBe(true)
      expect(second.headers['x-key']).toBe('k=my key;')
      const comparable = ({ headers: all, ...request }: typeof first) => {
        const names = ['x-note', 'x-empty', 'user-agent', 'content-type', 'content-length', 'host']
        return { ...request, headers: names.map(name => [name, all[name]]) }
      }
      expect(comparable(second)).toEqual(comparable(first))
    }
  })

  test('sends any header, variable and body unchanged', async () => {
    const headerText = fc.stringMatching(/^[!-~\u00a1-\u00ff]([ -~\u00a1-\u00ff]*[!-~\u00a1-\u00ff])?$/)
    const headerName = fc.stringMatching(/^X-[!#$%&'*+.^_`|~A-Z-]{1,10}$/)
    await fc.assert(
      fc.asyncProperty(headerName, headerText, headerText, anyText, async (name, before, value, text) => {
        const plain = before.replaceAll('{{', '{-')
        const body = JSON.stringify({ text })
        const headers = { [name]: `${plain}{{API_KEY}}x${plain}`, 'X-Plain': plain }
        const ascii = value.replace(/[^ -~]/g, '-')
        const { stderr } = await runCall(
          { method: 'POST', url: system.url, headers, body },
          { API_KEY: ascii },
        )
        expect(stderr).toBe('')
        const [request] = system.requests.splice(0)
        expect(request?.body).toBe(body)
        expect(request?.headers[name.toLowerCase()]).toBe(`${plain}${ascii}x${plain}`)
        expect(request?.headers['x-plain']).toBe(plain)
        expect(request?.headers['content-type']).toBe('application/json')
        expect(request !== undefined && isSigned(request, secret)).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  test('does not confuse its own variables with those of the headers', async () => {
    const headers = Object.fromEntries(
      ['SECRET', 'URL', 'BODY', 'TS', 'SIG', 'SECRET_'].map(name => [`X-${name}`, `{{${name}}}`]),
    )
    const env = { SECRET: 'a', URL: 'b', BODY: 'c', TS: 'd', SIG: 'e', SECRET_: 'f' }
    await runCall({ method: 'POST', url: system.url, headers, body: '{}' }, env)
    const [request] = system.requests
    expect(request?.headers).toMatchObject({
      'x-secret': 'a',
      'x-url': 'b',
      'x-body': 'c',
      'x-ts': 'd',
      'x-sig': 'e',
      'x-secret_': 'f',
    })
    expect(request !== undefined && isSigned(request, secret)).toBe(true)
  })

  test.each([
    ['a variable', secret],
    ['the signing secret', ''],
  ])('sends nothing when %s is not set', async (_title, key) => {
    const call: ShownCall = {
      method: 'GET',
      url: system.url,
      headers: { Authorization: 'Bearer {{NOT_SET_HERE}}' },
      body: '',
    }
    const { code, stderr } = await runCall(call, {}, key)
    expect(code).not.toBe(0)
    expect(stderr).toContain(key === '' ? 'CC_SIGNING_SECRET' : 'NOT_SET_HERE')
    expect(system.requests).toEqual([])
  })
})
