import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ServiceFacts } from '#main/storage/service-facts.ts'
import { runCliHere } from '../support/cli-here.ts'
import { startCli } from '../support/cli-process.ts'
import {
  type CliService,
  createConnection,
  keptToken,
  ServeLine,
  serve,
  stop,
  storedEvents,
  temporaryFolder,
} from '../support/cli-service.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { openService } from '../support/service-fixture.ts'

async function moveListener(service: CliService, port: number): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${service.dashboardUrl}/api/v1/service/listener`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${keptToken(service.data)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ host: '127.0.0.1', port }),
  })
  return { status: answer.status, body: await answer.json() }
}

const factsOf = ({ data }: CliService) =>
  ServiceFacts.parse(JSON.parse(readFileSync(join(data, 'service.json'), 'utf8')))

/** Starts `serve` without `--port`, on a data folder whose configuration keeps one. */
async function serveWhereKept(data: string): Promise<CliService> {
  const process = startCli(['serve', '--data', data, '--dashboard-port', '0', '--json'])
  return { ...ServeLine.parse(JSON.parse(await process.line('stdout'))), process, data }
}

describe('the address of the listener', () => {
  it('is where the settings moved it, at the next start and for the other commands at once', async () => {
    const data = temporaryFolder()
    const fixture = await openService({ service: { dataFolder: data } })
    const port = await freePort()
    const { status } = await fixture.rest('PUT', '/service/listener', { host: '127.0.0.1', port })
    expect(status).toBe(200)
    await fixture.stop()

    const service = await serveWhereKept(data)
    expect(service.listenerUrl).toBe(`http://127.0.0.1:${port}`)
    expect(factsOf(service).listenerUrl).toBe(service.listenerUrl)
    const { connectionId } = await createConnection(service, 'Shop')
    const moved = await moveListener(service, 0)
    expect(moved).toMatchObject({ status: 200, body: { fixedBy: null } })
    await eventually(() => expect(factsOf(service).listenerUrl).not.toBe(service.listenerUrl))
    expect(moved.body).toMatchObject({ url: factsOf(service).listenerUrl })
    expect(factsOf(service)).toMatchObject({ pid: service.pid, dashboardUrl: service.dashboardUrl })
    const sent = await runCliHere(['send', 'order.created', '--connection', 'Shop', '--data-folder', data])
    expect(sent.code, sent.stderr).toBe(0)
    expect(await storedEvents(service, connectionId)).toMatchObject([{ eventName: 'order.created' }])
    expect(await stop(service)).toBe(0)
    await fixture.close()
  })

  it('given with --port wins, even if it is the default, and cannot be changed then', async () => {
    const service = await serve(temporaryFolder())
    expect(await moveListener(service, 0)).toMatchObject({ status: 409, body: { code: 'listener_fixed' } })
    expect(factsOf(service).listenerUrl).toBe(service.listenerUrl)
    expect(await stop(service)).toBe(0)
  })
})
