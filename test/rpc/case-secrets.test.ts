import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { casesJunit } from '#shared/cases/junit.ts'
import { CasesRun } from '#shared/model/case.ts'
import { createAction } from '../support/actions.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection } from '../support/rest-client.ts'
import { startService } from '../support/service-fixture.ts'

const canaries = {
  variable: 'canary-variable-4711',
  password: 'canary-password-4711',
  clientSecret: 'canary-client-secret-4711',
  token: 'canary-access-token-4711',
  senderSecret: 'canary-sender-secret-4711-of-32-characters',
}

test('no result, report or stored record of a case has a secret that its system echoes', async () => {
  const { rest, service, dataFolder, log, ...fixture } = await startService()
  const secrets: string[] = Object.values(canaries)
  const system = await startExternalSystem(({ method, url, headers }, response) => {
    response.setHeader('content-type', 'application/json')
    if (url === '/token')
      return void response.end(JSON.stringify({ access_token: canaries.token, token_type: 'Bearer' }))
    const sent = Object.entries(headers).map(([name, value]) => [name, String(value)])
    const all = sent.map(([, value = '']) => value).join(' ')
    response.setHeader('x-echo', all)
    response.setHeader('x-encoded', encodeURIComponent(all))
    const escaped = all.replace(/-/g, '\\u002d')
    const body = { method, all, list: [sent], keys: { [all]: 1 }, secrets, password: atob(basicOf(all)) }
    response.end(JSON.stringify(body).replace('{"method"', `{"escaped":"${escaped}","method"`))
  })
  const put = async (name: string, input: object) =>
    expect((await rest('PUT', `/environment/${name}`, input)).status).toBe(200)
  await put('SHOP_KEY', { value: canaries.variable })
  await put('SHOP_PASSWORD', { value: canaries.password })
  await put('SHOP_SECRET', { value: canaries.clientSecret })
  await put('SHOP_SENDER', { value: canaries.senderSecret })
  await put('SHOP_BASIC', { basic: { user: 'shop', passwordVariable: 'SHOP_PASSWORD' } })
  await put('SHOP_TOKEN', {
    oauth2: {
      ...{ tokenUrl: `${system.url}/token`, clientId: 'shop', secretVariable: 'SHOP_SECRET' },
      clientAuth: 'basic',
    },
  })
  const fields = [
    ...['all', 'list', 'keys', 'escaped', 'secrets', 'password', '$headers.x-echo', '$headers.x-encoded'].map(
      path => ({
        path,
        rule: 'equals',
        value: 'another',
      }),
    ),
    { path: 'all', rule: 'matches', value: 'another*' },
    { path: '$body', rule: 'count', value: 0 },
    { path: '$headers', rule: 'absent' },
  ]
  const texts: string[] = []
  for (const value of ['Bearer {{SHOP_TOKEN}}', 'Basic {{SHOP_BASIC}}', '{{SHOP_KEY}} {{SHOP_SENDER}}']) {
    const auth = { in: 'header', name: 'Authorization', value }
    const { connectionId, credentials } = await createConnection(rest, { baseUrl: system.url, auth })
    secrets.push(credentials.signingSecret)
    const parameters = [{ name: 'id', type: 'string', description: 'Which', required: true }]
    const headers = { 'X-Key': '{{SHOP_KEY}}' }
    const { actionId } = await createAction(rest, connectionId, { method: 'GET', parameters, headers })
    const ofConnection = `/connections/${connectionId}`
    const path = `${ofConnection}/actions/${actionId}/cases`
    const made = await rest('POST', path, { name: 'A', arguments: { id: '1' }, expect: { fields } })
    expect(made.status, made.text).toBe(201)
    const ran = await rest('POST', `${ofConnection}/cases/run`, {})
    const { results } = CasesRun.parse(ran.body)
    expect(results[0]?.differences).toHaveLength(fields.length)
    expect(ran.text).toContain('••••')
    const rows = results.map(result => ({ toolName: 'look_up', name: 'A', result }))
    texts.push(ran.text, casesJunit('Shop', new Date().toISOString(), rows))
    texts.push((await rest('GET', `${ofConnection}/cases`)).text, (await rest('GET', path)).text)
    texts.push((await rest('GET', `${ofConnection}/export`)).text)
    const stored = await service.storage.history.newestOfEach({ kind: 'case', connectionId })
    expect(stored).toHaveLength(1)
    texts.push(JSON.stringify(stored))
  }
  const authorizations = system.requests.map(({ headers }) => headers.authorization)
  expect(authorizations).toContain(`Bearer ${canaries.token}`)
  await fixture.stop()
  texts.push(log.text())
  for (const file of readdirSync(dataFolder, { recursive: true, withFileTypes: true }))
    if (file.isFile()) texts.push(readFileSync(join(file.parentPath, file.name), 'latin1'))
  const hidden = [...secrets, btoa(`shop:${canaries.password}`)].flatMap(secret => [
    ...[secret, encodeURIComponent(secret), btoa(secret), secret.replace(/-/g, '\\u002d')],
  ])
  for (const text of texts) for (const secret of hidden) expect(text).not.toContain(secret)
})

/** Returns the credentials of a Basic sign-in, if there is one. */
function basicOf(text: string): string {
  return /Basic (\S+)/.exec(text)?.[1] ?? ''
}
