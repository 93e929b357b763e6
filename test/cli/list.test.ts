import { describe, expect, it } from 'vitest'
import { z } from 'zod'
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
