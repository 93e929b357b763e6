import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCliHere as runCli } from '../support/cli-here.ts'
import { jsonOf } from '../support/cli-process.ts'
import {
  createConnection,
  rest,
  serve,
  sharedService,
  storedEvents,
  temporaryFolder,
} from '../support/cli-service.ts'
import { startExternalSystem } from '../support/external-system.ts'

/** Numbers that JavaScript would change. */
const digits = '{ "orderId": 12345678901234567890, "price": 1.10 }'

const shared = sharedService()

describe('send', () => {
  it('posts to a URL, the secret from the environment, the data from stdin as it stands', async () => {
    const service = shared()
    const { connectionId, credentials } = await createConnection(service, 'Shop 1')
    const result = await runCli(
      ['send', 'order.created', '--url', credentials.inboundUrl, '--data', '-', '--json'],
      {
        env: { CUSTOM_CONNECTION_SECRET: credentials.signingSecret },
        stdin: digits,
      },
    )
    expect(jsonOf(result)).toEqual({ ok: true, status: 200, totalMs: expect.any(Number), body: { ok: true } })
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(await storedEvents(service, connectionId)).toMatchObject([
      { eventName: 'order.created', dataText: digits },
    ])
  })

  it('finds a connection by id or by name, and takes --data from a file or the line itself', async () => {
    const service = shared()
    const { connectionId } = await createConnection(service, 'Shop 2')
    const file = join(temporaryFolder(), 'data.json')
    writeFileSync(file, digits)
    const folder = ['--data-folder', service.data]
    const byId = await runCli(['send', 'one', '--connection', connectionId, '--data', `@${file}`, ...folder])
    expect(byId).toMatchObject({ code: 0, stderr: '' })
    expect(byId.stdout).toMatch(/^200 in [\d.]+ ms\n\{"ok":true\}\n$/)
    expect((await runCli(['send', 'two', '--connection', 'Shop 2', '--data', '{}', ...folder])).code).toBe(0)
    expect((await runCli(['send', 'three', '--connection', 'Shop 2', ...folder])).code).toBe(0)
    expect(await storedEvents(service, connectionId)).toMatchObject([
      { eventName: 'three', dataText: '{}' },
      { eventName: 'two', dataText: '{}' },
      { eventName: 'one', dataText: digits },
    ])
  })

  it('signs as the sender of the connection does, and as --as says', async () => {
    const service = shared()
    const { connectionId, credentials } = await createConnection(service, 'Repository')
    const secret = 'of the webhook'
    const path = `/connections/${connectionId}`
    await rest(service, 'PATCH', path, { body: { sender: { scheme: 'github' } } })
    await rest(service, 'PUT', `${path}/sender/secret`, { body: { secret } })
    const connection = ['--connection', connectionId, '--data-folder', service.data]
    expect(await runCli(['send', 'push', ...connection])).toMatchObject({ code: 0, stderr: '' })
    const given = ['--as', 'github', '--url', credentials.inboundUrl, '--secret', secret]
    expect(await runCli(['send', 'issues', ...given, '--data', digits])).toMatchObject({
      code: 0,
      stderr: '',
    })
    const refused = await runCli(['send', 'issues', ...given.slice(2), '--json'])
    expect(jsonOf(refused)).toMatchObject({ ok: false, status: 401 })
    expect(await storedEvents(service, connectionId)).toMatchObject([
      { eventName: 'issues', dataText: '{"orderId":12345678901234567890,"price":1.10}' },
      { eventName: 'push', dataText: '{}' },
    ])
  })

  it('takes a folder given as --data for the data folder', async () => {
    const service = shared()
    const { connectionId } = await createConnection(service, 'Shop 3')
    const args = [
      'send',
      'one',
      '--connection',
      'Shop 3',
      '--data',
      service.data,
      '--data',
      '{"a":1}',
      '--json',
    ]
    expect((await runCli(args)).code).toBe(0)
    expect(await storedEvents(service, connectionId)).toMatchObject([{ dataText: '{"a":1}' }])
  })

  it('goes to the listener itself, whatever public address is shown', async () => {
    const service = await serve(temporaryFolder(), ['--public-url', 'https://tunnel.invalid'])
    await createConnection(service, 'Shop')
    const args = ['send', 'one', '--connection', 'Shop', '--data-folder', service.data, '--json']
    expect(jsonOf(await runCli(args))).toMatchObject({ status: 200 })
  })

  it('refuses a name that two connections have, and one that none has', async () => {
    const service = shared()
    const twins = [await createConnection(service, 'Twin'), await createConnection(service, 'Twin')]
    const send = (connection: string) =>
      runCli(['send', 'one', '--connection', connection, '--data-folder', service.data, '--json'])
    const ambiguous = await send('Twin')
    expect(ambiguous.code).toBe(1)
    expect(jsonOf(ambiguous)).toMatchObject({ code: 'ambiguous_connection' })
    for (const { connectionId } of twins) expect(ambiguous.stdout).toContain(connectionId)
    const unknown = await send('Nobody')
    expect(unknown.code).toBe(1)
    expect(jsonOf(unknown)).toMatchObject({ code: 'connection_not_found' })
  })

  it('says when no service runs on the data folder', async () => {
    const data = join(temporaryFolder(), 'none')
    const result = await runCli(['send', 'one', '--connection', 'Shop', '--data-folder', data, '--json'])
    expect(result.code).toBe(1)
    expect(jsonOf(result)).toMatchObject({
      code: 'service_not_running',
      message: expect.stringContaining(data),
    })
  })

  it('exits 1 with the answer when it is not 2xx, and without naming the token when there is none', async () => {
    const service = shared()
    const { credentials } = await createConnection(service, 'Shop 4')
    const wrong = await runCli([
      'send',
      'one',
      '--url',
      credentials.inboundUrl,
      '--secret',
      'whsec_wrong',
      '--json',
    ])
    expect(wrong.code).toBe(1)
    expect(jsonOf(wrong)).toMatchObject({ ok: false, status: 401, body: { error: 'invalid_signature' } })

    const deaf = 'http://127.0.0.1:1/api/connect/canary-token/events'
    const silent = await runCli(['send', 'one', '--url', deaf, '--secret', 'whsec_wrong', '--json'])
    expect(silent.code).toBe(1)
    expect(jsonOf(silent)).toMatchObject({ code: 'listener_unreachable' })
    expect(silent.stdout + silent.stderr).not.toContain('canary-token')
  })

  it.each([
    ['[1]', 'must be a JSON object'],
    ['"text"', 'must be a JSON object'],
    ['{"a":', 'not valid JSON'],
  ])('refuses the data %s before it asks anybody', async (data, sentence) => {
    const args = [
      'send',
      'one',
      '--url',
      'http://127.0.0.1:1/',
      '--secret',
      'whsec_x',
      '--json',
      '--data',
      data,
    ]
    const result = await runCli(args)
    expect(result.code).toBe(1)
    expect(jsonOf(result)).toMatchObject({ code: 'invalid_data', message: expect.stringContaining(sentence) })
  })
})

describe('send --count', () => {
  it('sends each signed afresh, and sums up', async () => {
    const service = shared()
    const { connectionId } = await createConnection(service, 'Shop 5')
    const args = ['send', 'one', '--connection', 'Shop 5', '--data-folder', service.data, '--count', '120']
    const result = await runCli([...args, '--json'])
    expect(result).toMatchObject({ code: 0, stderr: '' })
    expect(jsonOf(result)).toEqual({
      ok: true,
      count: 120,
      statuses: { 200: 120 },
      noAnswer: {},
      p50Ms: expect.any(Number),
      p99Ms: expect.any(Number),
      perSecond: expect.any(Number),
      elapsedMs: expect.any(Number),
    })
    expect(await storedEvents(service, connectionId)).toHaveLength(120)
    const text = await runCli(args)
    expect(text.stdout).toMatch(/^120 events in .*\nstatus 200: 120\np50 [\d.]+ ms, p99 [\d.]+ ms\n$/)
  })

  it('keeps to --rate', async () => {
    const service = shared()
    await createConnection(service, 'Shop 6')
    const args = ['send', 'one', '--connection', 'Shop 6', '--data-folder', service.data, '--json']
    const summary = jsonOf(await runCli([...args, '--count', '11', '--rate', '50']))
    // The eleventh is due 200 ms after the first.
    expect(summary).toMatchObject({
      statuses: { 200: 11 },
      elapsedMs: expect.toSatisfy((ms: number) => ms >= 195),
    })
  })

  it('exits 1 when any was refused or not answered', async () => {
    const service = shared()
    const { credentials } = await createConnection(service, 'Shop 7')
    const args = ['send', 'one', '--secret', 'whsec_wrong', '--count', '3', '--json', '--url']
    const refused = await runCli([...args, credentials.inboundUrl])
    expect(refused.code).toBe(1)
    expect(jsonOf(refused)).toMatchObject({ ok: false, statuses: { 401: 3 } })
    const silent = await runCli([...args, 'http://127.0.0.1:1/'])
    expect(silent.code).toBe(1)
    expect(jsonOf(silent)).toMatchObject({
      ok: false,
      statuses: {},
      noAnswer: { ECONNREFUSED: 3 },
      p50Ms: null,
    })
  })
})

describe('after a failure', () => {
  const again = 'This is temporary. Send the event again in a few seconds.\n'
  const cause = 'Correct the cause before you send the event again.\n'

  it.each([
    [400, cause],
    [401, cause],
    [403, cause],
    [404, cause],
    [408, again],
    [413, cause],
    [429, again],
    [500, cause],
    [502, again],
    [503, again],
    [504, again],
  ])('says whether %d is worth another try', async (status, says) => {
    const system = await startExternalSystem((_request, response) => response.writeHead(status).end('{}'))
    const result = await runCli(['send', 'one', '--url', system.url, '--secret', 'whsec_x'])
    expect(result).toMatchObject({ code: 1, stderr: says })
  })

  it('names the answers of many events that are worth another try', async () => {
    const statuses = [200, 503, 401, 502]
    const system = await startExternalSystem((_request, response) =>
      response.writeHead(statuses.pop() ?? 200).end('{}'),
    )
    const args = ['send', 'one', '--url', system.url, '--secret', 'whsec_x', '--count', '4']
    const { stderr } = await runCli(args)
    expect(stderr).toBe('Send the events with 502 or 503 again in a few seconds.\n')
  })

  it('says so where nothing answers, and in its help', async () => {
    const result = await runCli(['send', 'one', '--url', 'http://127.0.0.1:1', '--secret', 'whsec_x'])
    expect(result.stderr).toMatch(/^listener_unreachable: .* Send the event again later\.\n$/)
    const { stdout } = await runCli(['send', '--help'])
    expect(stdout).toContain('Retry after 408, 429, 502, 503, 504 or no response')
  })
})

describe('the data folder', () => {
  it('may have a path too long for a Unix socket', async () => {
    const data = join(temporaryFolder(), 'a'.repeat(120))
    mkdirSync(data)
    const service = await serve(data)
    await createConnection(service, 'Shop')
    const args = ['send', 'one', '--connection', 'Shop', '--data-folder', data, '--json']
    expect(jsonOf(await runCli(args))).toMatchObject({ status: 200 })
  })
})
