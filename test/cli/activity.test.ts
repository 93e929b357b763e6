import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { OccurrencePage } from '#shared/model/activity.ts'
import { cliEntry } from '../support/cli-entry.ts'
import { runCliHere as runCli } from '../support/cli-here.ts'
import { jsonOf, startCli } from '../support/cli-process.ts'
import { type CliService, createConnection, rest, sharedService } from '../support/cli-service.ts'

const shared = sharedService()
let service: CliService
beforeAll(async () => {
  service = shared()
  await fill()
})

const cli = (...args: string[]) => runCli([...args, '--data', service.data])
const send = (name: string, event: string, data: string) =>
  runCli(['send', event, '--connection', name, '--data', data, '--data-folder', service.data])
const rowsOf = ({ stdout }: { readonly stdout: string }) => stdout.split('\n').slice(1, -1)
const page = async (path: string) => OccurrencePage.parse((await rest(service, 'GET', path)).body)

/** Two connections with events, refused requests and calls. */
async function fill() {
  for (const name of ['Shop', 'Store']) {
    const { connectionId, credentials } = await createConnection(service, name)
    await rest(service, 'PATCH', `/connections/${connectionId}`, { body: { baseUrl: 'http://127.0.0.1:1' } })
    const action = { name: 'Find', toolName: 'find_order', description: 'Finds.', path: '/', method: 'GET' }
    await rest(service, 'POST', `/connections/${connectionId}/actions`, { body: action })
    await send(name, 'order.paid', `{"order_id":"ORD-20418","by":"${name}"}`)
    await send(name, 'order.sent', '{}')
    await fetch(credentials.inboundUrl, { method: 'POST', body: '{"event":"order.paid"}' })
    await runCli(['call', name, 'find_order', '--args', '{}', '--data', service.data])
  }
}

test('events are listed over all connections, by the filters of the list', async () => {
  const { stdout, ...others } = await cli('events', 'list')
  expect(others).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n')[0]).toMatch(/^RECEIVED +EVENT +SUBJECT +NOTE +CONNECTION +ID$/)
  const [, newest] = rowsOf({ stdout }).map(row => row.split(/ {2,}/))
  expect(newest?.slice(1, 5)).toEqual(['order.paid', 'ORD-20418', 'undeclared', 'Store'])
  expect(rowsOf({ stdout })).toHaveLength(4)

  const path = '/activity/list?kinds=event.accepted,event.repeated,event.replayed'
  expect(jsonOf(await cli('events', 'list', '--json'))).toEqual(await page(path))
  expect(rowsOf(await cli('events', 'list', '--connection', 'Shop', '--event', 'order.paid'))).toHaveLength(1)
  expect(rowsOf(await cli('events', 'list', '--text', '"by":"Store"'))).toHaveLength(1)
  expect(rowsOf(await cli('events', 'list', '--outcome', 'failed'))).toHaveLength(2)
  const [first, second] = (await page(path)).items
  expect(rowsOf(await cli('events', 'list', '--since', first?.at ?? ''))).toHaveLength(1)
  expect(rowsOf(await cli('events', 'list', '--until', String(Date.parse(first?.at ?? ''))))).toHaveLength(3)
  const { stderr } = await cli('events', 'list', '--limit', '2')
  expect(stderr).toBe(`There are more. To list them, add: --before ${second?.id}\n`)
  expect(rowsOf(await cli('events', 'list', '--limit', '2', '--before', second?.id ?? ''))).toHaveLength(2)
  expect(await cli('events', 'list', '--event', 'none')).toMatchObject({
    stderr: 'There are no such events.\n',
  })
})

test('attempts and calls are listed over all connections, by the filters of the list', async () => {
  const attempts = await cli('attempts', 'list')
  expect(attempts.stdout.split('\n')[0]).toMatch(/^RECEIVED +CODE +MISTAKE +CONNECTION +ID$/)
  expect(rowsOf(attempts)[0]).toMatch(/ {2}missing_\w+ +\S+ +Store +att_/)
  expect(rowsOf(await cli('attempts', 'list', '--connection', 'Shop'))).toHaveLength(1)
  expect(rowsOf(await cli('attempts', 'list', '--cause', 'none'))).toEqual([])
  expect(jsonOf(await cli('attempts', 'list', '--json'))).toEqual(
    await page('/activity/list?kinds=event.rejected'),
  )

  const calls = await cli('calls', 'list')
  expect(calls.stdout.split('\n')[0]).toMatch(/^ENDED +TOOL +STATUS +MS +SOURCE +CONNECTION +ID$/)
  expect(rowsOf(calls)[0]).toMatch(/ {2}find_order +[a-z_]+ +\d+ +cli +Store +call_/)
  for (const [options, count] of [
    [['--outcome', 'failed'], 2],
    [['--outcome', 'ok'], 0],
    [['--source', 'cli'], 2],
    [['--source', 'mcp'], 0],
    [['--connection', 'Shop', '--action', 'find_order'], 1],
    [['--action', 'act_none'], 0],
  ] as const)
    expect([options, rowsOf(await cli('calls', 'list', ...options))]).toEqual([
      options,
      Array(count).fill(expect.any(String)),
    ])
  expect(await cli('calls', 'list', '--connection', 'Shop', '--action', 'none')).toMatchObject({
    ...{ code: 1, stderr: 'action_not_found: Shop has no action "none".\n' },
  })
})

test('an event and an attempt are shown by id', async () => {
  const [newest] = (await page('/activity/list?kinds=event.accepted')).items
  const event = z.object({ eventId: z.string(), connectionId: z.string() }).parse(newest)
  const { body } = await rest(service, 'GET', `/connections/${event.connectionId}/events/${event.eventId}`)
  expect(jsonOf(await cli('events', 'show', event.eventId, '--json'))).toEqual(body)
  const { stdout } = await cli('events', 'show', event.eventId)
  expect(stdout).toMatch(/^evt_\S+ {2}\S+Z {2}Store\norder\.sent \(undeclared\)\n(\S+: .*\n)+\n\{\}\n$/)

  const [refused] = (await page('/activity/list?kinds=event.rejected')).items
  expect((await cli('events', 'show', refused?.id ?? '')).stdout).toMatch(
    /^att_\S+ {2}\S+Z {2}Store\nmissing_\w+: .*\n(.+\n)+\n\{"event":"order\.paid"\}\n$/,
  )
  const [call] = (await page('/activity/list?kinds=call.finished')).items
  expect(await cli('events', 'show', `call_${call?.id}`)).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('is not the id of an event or an attempt') },
  })
  expect((await cli('events', 'show', 'evt_00000000001')).code).toBe(1)
})

test('tail prints the last events, then new ones', async () => {
  const tail = startCli(['events', 'tail', '--limit', '1', '--connection', 'Shop', '--data', service.data])
  const first = await tail.line('stdout')
  expect(first).toContain('order.sent')
  await send('Store', 'order.tailed', '{}')
  await send('Shop', 'order.tailed', '{"order_id":"ORD-1"}')
  await send('Shop', 'order.last', '{}')
  await tail.line('stdout', line => line.includes('order.last'))
  tail.signal('SIGTERM')
  await tail.ended
  const rows = tail.output().stdout.trimEnd().split('\n')
  expect(rows.map(row => row.split('  ').slice(1, 3))).toEqual([
    ['order.sent', '-'],
    ['order.tailed', 'ORD-1'],
    ['order.last', '-'],
  ])

  const json = startCli(['events', 'tail', '--event', 'order.last', '--json', '--data', service.data])
  expect(JSON.parse(await json.line('stdout'))).toMatchObject({ eventName: 'order.last' })
})

test('tail ends when nobody reads it', async () => {
  const tail = spawn(process.execPath, [cliEntry, 'events', 'tail', '--data', service.data])
  const ended = once(tail, 'exit')
  await once(tail.stdout, 'data')
  tail.stdout.destroy()
  await send('Shop', 'order.unread', '{}')
  expect(await ended).toEqual([0, null])
})

test('wrong filters are refused', async () => {
  for (const args of [
    ['events', 'list', '--since', 'yesterday'],
    ['events', 'list', '--limit', '0'],
    ['events', 'tail', '--limit', '201'],
    ['events', 'show'],
    ['calls', 'list', '--outcome', 'some'],
    ['calls', 'list', '--source', 'some'],
  ])
    expect([args, (await cli(...args)).code]).toEqual([args, 2])
  expect((await cli('events', 'list', '--connection', 'none')).code).toBe(1)
})

test('the commands of docs/reference.md are right', async () => {
  const [, text = ''] = readFileSync('docs/reference.md', 'utf8').split('\n## Activity\n')
  const [, block = ''] = text.split('\n```sh untested: needs what was received\n')
  const commands = (block.split('\n```')[0] ?? '')
    .split('\n')
    .map(line => line.replace('npm run cli -- ', ''))
  expect(commands.length).toBeGreaterThan(4)
  const [newest] = (await page('/activity/list?kinds=event.accepted')).items
  for (const command of commands) {
    const args = command.replace('evt_0i3mxhytq73', `evt_${newest?.id}`).split(' ')
    // It goes on until it is stopped.
    if (args[1] === 'tail') await startCli([...args, '--data', service.data]).line('stdout')
    else expect([command, (await cli(...args)).code]).toEqual([command, 0])
  }
})
