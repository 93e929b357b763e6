import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { NodeList } from '#shared/model/nodes.ts'
import { runCliHere as runCli } from '../support/cli-here.ts'
import { jsonOf } from '../support/cli-process.ts'
import { createConnection, rest, sharedService, temporaryFolder } from '../support/cli-service.ts'

const shared = sharedService()

describe('list', () => {
  it('shows connections and their actions as tables, and with --json what REST answers', async () => {
    const service = await shared.empty()
    const list = (...args: string[]) => runCli(['list', ...args, '--data', service.data])
    expect(await list('connections')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'There are no connections yet.\n',
    })

    const { connectionId } = await createConnection(service, 'Shop')
    await createConnection(service, 'A \u001b[31mlonger name')
    expect(await list('actions', 'Shop')).toMatchObject({ code: 0, stderr: 'Shop has no actions yet.\n' })
    const path = `/connections/${connectionId}/actions`
    const action = { name: 'Find an order', toolName: 'find_order', description: 'Finds.', path: '/orders' }
    await rest(service, 'POST', path, { body: { ...action, method: 'GET' } })
    await rest(service, 'POST', path, {
      body: { ...action, toolName: 'make', path: '/', isEnabled: false },
    })

    const { stdout } = await list('connections')
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^NAME +ID +STATE {2}ACTIONS {2}EVENT TYPES {2}BASE URL$/),
      expect.stringMatching(`^Shop +${connectionId} {2}on +2 +0 +-$`),
      expect.stringMatching(/^A \\u001b\[31mlonger name {2}conn_/),
      '',
    ])
    const table = (name: string) => [
      'TOOL        STATE  METHOD  PATH     NAME           FOR ASSISTANTS',
      `find_order  on     GET     /orders  Find an order  ${name}`,
      'make        off    POST    /        Find an order  -',
      '',
    ]
    const lines = async () => (await list('actions', connectionId)).stdout.split('\n')
    // Without a base URL, assistants do not get it.
    expect(await lines()).toEqual(table('-'))
    await rest(service, 'PATCH', `/connections/${connectionId}`, { body: { baseUrl: 'http://127.0.0.1:1' } })
    const { body: tools } = await rest(service, 'GET', '/tools')
    const [tool] = z.array(z.object({ name: z.string() })).parse(tools)
    expect(tool?.name).toMatch(/^shop_\w{4}__find_order$/)
    expect(await lines()).toEqual(table(tool?.name ?? ''))
    const { body: connections } = await rest(service, 'GET', '/connections')
    expect(jsonOf(await list('connections', '--json'))).toEqual(connections)
    const { body: actions } = await rest(service, 'GET', path)
    expect(jsonOf(await list('actions', 'Shop', '--json'))).toEqual(actions)
  })

  it('shows the nodes as a table, and with --json what REST answers', async () => {
    const service = await shared.empty()
    const list = (...args: string[]) => runCli(['list', 'nodes', ...args, '--data', service.data])
    const { body } = await rest(service, 'GET', '/nodes')
    const nodes = NodeList.parse(body)
    expect(NodeList.parse(jsonOf(await list('--json'))).map(({ nodeId }) => nodeId)).toEqual(
      nodes.map(({ nodeId }) => nodeId),
    )
    const [node] = nodes
    expect((await list()).stdout.split('\n')).toEqual([
      expect.stringMatching(/^NAME +ID +STATE +VERSION +SINCE +SEEN +RUNS +CLOCK$/),
      expect.stringMatching(`^${node?.name} +${node?.nodeId} +ready +${node?.version} +\\S+Z +\\S+Z +0 +-$`),
      '',
    ])
  })

  it('shows the events of a connection as a table, in pages, and with --json what REST answers', async () => {
    const service = await shared.empty()
    const list = (...args: string[]) => runCli(['list', 'events', ...args, '--data', service.data])
    const { connectionId } = await createConnection(service, 'Shop')
    expect(await list('Shop')).toEqual({ code: 0, stdout: '', stderr: 'Shop has no such events.\n' })
    for (const [event, data] of [
      ['order.created', '{"id":1}'],
      ['order.paid', `{"text":"${'x'.repeat(100)}"}`],
      ['order.created', '{"id":"\\u001b[31m"}'],
    ] as const)
      await runCli(['send', event, '--connection', 'Shop', '--data', data, '--data-folder', service.data])
    const row = (event: string, data: string) =>
      expect.stringMatching(`^\\d{4}-\\d\\d-\\d\\dT\\S+Z {2}${event} +evt_\\S+ {2}undeclared {2}${data}$`)
    expect((await list('Shop')).stdout.split('\n')).toEqual([
      expect.stringMatching(/^RECEIVED +EVENT +ID +NOTE +DATA$/),
      row('order\\.created', '\\{"id":"\\\\u001b\\[31m"\\}'),
      row('order\\.paid', `\\{"text":"${'x'.repeat(70)}…`),
      row('order\\.created', '\\{"id":1\\}'),
      '',
    ])
    const path = `/connections/${connectionId}/events`
    const { body: all } = await rest(service, 'GET', path)
    expect(jsonOf(await list('Shop', '--json'))).toEqual(all)

    const paid = await list(connectionId, '--event', 'order.paid')
    expect(paid.stdout.match(/evt_/g)).toHaveLength(1)
    expect((await list('Shop', '--text', '"id":1')).stdout.match(/evt_/g)).toHaveLength(1)
    const first = await list('Shop', '--limit', '2')
    const [, before = ''] =
      /^There are more\. To list them, add: --before (evt_\S+)\n$/.exec(first.stderr) ?? []
    expect(first.stdout.match(/evt_/g)).toHaveLength(2)
    const rest2 = await list('Shop', '--limit', '2', '--before', before)
    expect(rest2).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('{"id":1}') })
    expect(rest2.stdout.match(/evt_/g)).toHaveLength(1)
  })

  it('says of a connection without a log of events why it has none', async () => {
    const service = await shared.empty()
    await rest(service, 'POST', '/connections', { body: { name: 'Quiet' } })
    const { stderr } = await runCli(['list', 'events', 'Quiet', '--data', service.data])
    expect(stderr).toBe('Quiet, which does not log its events, has no such events.\n')
  })

  it('shows refused requests of a connection, and those with an unknown token', async () => {
    const service = await shared.empty()
    const list = (...args: string[]) => runCli(['list', 'attempts', ...args, '--data', service.data])
    const { connectionId, credentials } = await createConnection(service, 'Shop')
    expect((await list('Shop')).stderr).toBe('Shop has no refused requests.\n')
    const { inboundUrl, inboundToken, signingSecret } = credentials
    const send = (url: string, secret: string) => runCli(['send', 'a', '--url', url, '--secret', secret])
    await send(inboundUrl, signingSecret.replace('whsec_', ''))
    await send(inboundUrl.replace(inboundToken, 'unknown'), signingSecret)
    await expect
      .poll(async () => (await list(connectionId)).stdout)
      .toMatch(/^RECEIVED +CODE +MISTAKE +ID\n\S+Z {2}invalid_signature {2}key_without_prefix {2}\S+\n$/)
    const { body } = await rest(service, 'GET', `/connections/${connectionId}/attempts`)
    expect(jsonOf(await list('Shop', '--json'))).toEqual(body)
    expect((await list()).stdout).toMatch(/Z {2}unknown_token {2}- +\S+\n/)
    const { body: unknown } = await rest(service, 'GET', '/attempts')
    expect(jsonOf(await list('--json'))).toEqual(unknown)
  })

  it('shows runs with the names of their workflows, filtered and in pages', async () => {
    const service = await shared.empty()
    const list = (...args: string[]) => runCli(['list', 'runs', ...args, '--data', service.data])
    const { connectionId } = await createConnection(service, 'Shop')
    for (const [name, outcome] of [
      ['Ship it', 'succeeded'],
      ['Stop it', 'failed'],
    ])
      await rest(service, 'POST', '/workflows', {
        body: {
          name,
          trigger: { type: 'external.event', connectionId, eventName: null },
          steps: [{ key: 'end', type: 'stop', outcome }],
        },
      })
    await runCli([
      'send',
      'order.paid',
      '--connection',
      'Shop',
      '--data',
      '{"order_id":"ORD-1"}',
      '--data-folder',
      service.data,
    ])
    await expect.poll(async () => (await list()).stdout.match(/ (succeeded|failed) /g)?.length).toBe(2)
    const { stdout } = await list()
    expect(stdout).toMatch(/^QUEUED +STATUS +WORKFLOW +EVENT +SUBJECT +ERROR +ID$/m)
    expect(stdout).toMatch(/Z {2}succeeded {2}Ship it +order\.paid {2}ORD-1 +- +run_\S+$/m)
    expect(stdout).toMatch(/Z {2}failed +Stop it +order\.paid {2}ORD-1 +\w+ +run_\S+$/m)
    const { body } = await rest(service, 'GET', '/runs')
    expect(jsonOf(await list('--json'))).toEqual(body)
    expect((await list('--workflow', 'Ship it')).stdout).not.toContain('Stop it')
    expect((await list('--status', 'failed')).stdout).not.toContain('Ship it')
    expect((await list('--limit', '1')).stderr).toMatch(/^There are more\. To list them, add: --before run_/)
    expect(await list('--workflow', 'None')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('workflow_not_found'),
    })
  })

  it('exits 1 with code and message where there is no such connection or no service', async () => {
    const service = await shared.empty()
    const nobody = await runCli(['list', 'actions', 'Nobody', '--data', service.data, '--json'])
    expect(nobody.code).toBe(1)
    expect(jsonOf(nobody)).toEqual({
      ok: false,
      code: 'connection_not_found',
      message: 'No connection has the id or the name "Nobody".',
    })
    const nothing = await runCli(['list', 'connections', '--data', temporaryFolder()])
    expect(nothing).toMatchObject({ code: 1, stdout: '' })
    expect(nothing.stderr).toMatch(/^service_not_running: [^\n]+\n$/)
  })
})
