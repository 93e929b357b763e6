import { expect, test } from 'vitest'
import { isSigned } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { startService } from '../../support/service-fixture.ts'
import { formsOf, startTalk } from './fixtures.ts'

const formTo = (submitUrl: string, fields: string[] = []) => ({
  trigger: 'keyword:refund',
  action: 'open_refund',
  form: { fields, submitUrl },
})

test('a form is signed for the connection with the nearest base URL, and not outside of it', async () => {
  const talk = await startTalk()
  const { rest, system } = talk
  const api = await createConnection(rest, { name: 'Api', baseUrl: `${system.url}/api/v2` })
  const shop = [...(await talk.service.storage.config.snapshot()).connections.values()][0]!
  const signerOf = { [api.credentials.signingSecret]: 'Api', [shop.signingSecret]: 'Shop' }

  /** Submits a form to a URL, and returns the name of the connection that signed it. */
  async function signer(submitUrl: string): Promise<string | undefined> {
    await rest('PUT', '/platform/conversation-actions', [formTo(submitUrl)])
    await talk.ask('PATCH', '', { agent: { agentId: 'default' } })
    await talk.send('refund')
    const offered = formsOf(await talk.until('idle')).at(-1)
    await talk.ask('POST', `/forms/${offered?.formId}`, { fields: {} })
    const sent = system.requests.at(-1)!
    return Object.keys(signerOf)
      .filter(secret => isSigned(sent, secret))
      .map(secret => signerOf[secret])[0]
  }

  expect(await signer(`${system.url}/forms`)).toBe('Shop')
  expect(await signer(`${system.url}/api/v2/forms`)).toBe('Api')
  expect(await signer(`${system.url}/api/v2`)).toBe('Api')
  expect(await signer(`${system.url}//forms/?to=a`)).toBe('Shop')
  expect(system.requests.at(-1)?.url).toBe('//forms/?to=a')
  expect(await signer(`${system.url}/api/v22`)).toBe('Shop')
  expect(await signer(`${system.url}/api/v2/a%2Fb?next=../x`)).toBe('Api')
  await rest('PATCH', `/connections/${shop.connectionId}`, { enabled: false })
  const outside = [
    ...['/api/v2x', '/API/v2/x', '/api%2Fv2/x', '/api/v2/../x', '/api/v2/%2e%2e/x', '/api/v2\\..\\x'],
    // Servers that decode a path or drop its parameters leave the base URL here.
    ...['/api/v2/..%2Fx', '/api/v2/%2e.%5Cx', '/api/v2/..;/x', '/api/v2/a%2F..%2F..%2fx', '/api/v2/..;a=b'],
  ]
  for (const path of outside) expect([path, await signer(system.url + path)]).toEqual([path, undefined])
})

test('a form has no field whose value would be lost', async () => {
  const { rest } = await startService()
  const refused = await rest('PUT', '/platform/conversation-actions', [
    formTo('https://shop.example/forms', ['constructor', '__proto__']),
  ])
  expect(refused.body).toMatchObject({ data: { issues: [{ path: '0.form.fields.1' }] } })
})
