import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { runCliHere as runCli } from '../support/cli-here.ts'
import { jsonOf } from '../support/cli-process.ts'
import { rest, sharedService } from '../support/cli-service.ts'

const shared = sharedService()
const Created = z.object({
  connectionId: z.string(),
  credentials: z.object({ inboundUrl: z.string(), signingSecret: z.string() }),
})

describe('create connection', () => {
  const create = (data: string, ...args: string[]) =>
    runCli(['create', 'connection', ...args, '--data', data])

  it('prints the URL and the secret, which send an event', async () => {
    const { data } = await shared.empty()
    const { code, stdout, stderr } = await create(data, 'Shop', '--persist-events')
    expect(code).toBe(0)
    const [, url = '', secret = ''] =
      /^Created Shop, conn_\S+\nInbound URL: (\S+)\nSigning secret: (whsec_\S+)\n$/.exec(stdout) ?? []
    expect(stderr).toContain('credentials')
    expect((await runCli(['send', 'one', '--url', url, '--secret', secret])).code).toBe(0)
    expect((await runCli(['list', 'events', 'Shop', '--data', data])).stdout).toContain('one')
  })

  it('prints with --json what REST answers', async () => {
    const service = await shared.empty()
    const args = ['Billing', '--base-url', 'https://api.example.com/v2', '--json']
    const created = jsonOf(await create(service.data, ...args))
    const { connectionId, credentials } = Created.parse(created)
    const path = `/connections/${connectionId}`
    expect(created).toEqual({
      ...z.record(z.string(), z.unknown()).parse((await rest(service, 'GET', path)).body),
      credentials: (await rest(service, 'GET', `${path}/credentials`)).body,
    })
    expect(created).toMatchObject({ baseUrl: 'https://api.example.com/v2', persistEvents: false })
    expect(credentials.inboundUrl).toContain('/api/connect/')
  })

  it('creates it in another workspace, and shows its warnings', async () => {
    const service = await shared.empty()
    const { body } = await rest(service, 'POST', '/workspaces', { body: { name: 'Tests' } })
    const { workspaceId } = z.object({ workspaceId: z.string() }).parse(body)
    const made = await create(
      service.data,
      'Odd',
      '--workspace',
      workspaceId,
      '--base-url',
      'http://169.254.169.254',
    )
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('Warning: ') })
    const { body: rows } = await rest(service, 'GET', `/connections?workspaceId=${workspaceId}`)
    expect(rows).toMatchObject([{ name: 'Odd' }])
  })

  it.each([
    [['Shop', '--base-url', 'api.example.com'], 'invalid_input'],
    [[''], 'invalid_input'],
    [['Shop', '--workspace', 'none'], 'workspace_not_found'],
  ])('says what is wrong with %j', async (args, code) => {
    const { data } = await shared.empty()
    const result = await create(data, ...args)
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr).toMatch(new RegExp(`^${code}: `))
  })
})

describe('sign and verify with --connection', () => {
  it('use the secret of the connection, by name or id', async () => {
    const { data } = await shared.empty()
    const created = jsonOf(await create(data))
    const { connectionId, credentials } = Created.parse(created)
    const signed = await runCli(['sign', '--connection', 'Shop', '--data', data, '--body', '{"event":"a"}'])
    expect(signed).toMatchObject({ code: 0, stderr: '' })
    const [timestamp = '', signature = ''] = signed.stdout.split('\n').map(line => line.split(': ')[1] ?? '')
    const received = ['--timestamp', timestamp, '--signature', signature, '--body', '{"event":"a"}']
    const bySecret = await runCli(['verify', '--secret', credentials.signingSecret, ...received])
    expect(bySecret).toEqual({ code: 0, stdout: 'ok\n', stderr: '' })
    const byId = await runCli(['verify', '--connection', connectionId, '--data', data, ...received])
    expect(byId).toEqual({ code: 0, stdout: 'ok\n', stderr: '' })
    const env = { CUSTOM_CONNECTION_SECRET: 'whsec_of_another' }
    const withVariable = ['verify', '--connection', 'Shop', '--data', data, ...received]
    expect((await runCli(withVariable, { env })).code).toBe(0)
  })

  const create = (data: string) => runCli(['create', 'connection', 'Shop', '--data', data, '--json'])

  it.each(['sign', 'verify'])('%s refuses both, and says that there is no such connection', async command => {
    const { data } = await shared.empty()
    const received = command === 'sign' ? [] : ['--timestamp', '1', '--signature', 'x']
    const run = (...args: string[]) =>
      runCli([command, ...received, '--body', '{}', '--connection', 'None', '--data', data, ...args])
    expect(await run('--secret', 'whsec_x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Give either --connection or --secret.'),
    })
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('connection_not_found') })
  })
})
