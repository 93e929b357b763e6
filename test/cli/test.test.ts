import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'junit2json'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createOrderSystem } from '#main/sample/order-system.ts'
import { CasesRun } from '#shared/model/case.ts'
import { runCliHere as runCli } from '../support/cli-here.ts'
import { type CliResult, jsonOf, startCli } from '../support/cli-process.ts'
import { type CliService, rest, serve, sharedService, temporaryFolder } from '../support/cli-service.ts'
import { type SystemRequest, startExternalSystem } from '../support/external-system.ts'

const shared = sharedService()
const Imported = z.object({ connectionId: z.string() })
const sample = 'Sample order system'

const caseOf = (name: string, fields: object[] = [], status: number | string | null = 200) => ({
  ...{ name, arguments: { order_id: name }, expect: { status, fields } },
})
const isOk = { path: 'ok', rule: 'equals', value: true }

/** Returns an action of an import document whose cases expect `ok`, unless told otherwise. */
const actionOf = (toolName: string, method: string, cases: object[]) => ({
  ...{ name: toolName, toolName, description: 'When asked.', method, path: `/${toolName}`, cases },
  parameters: [{ name: 'order_id', type: 'string', description: 'The order', required: true }],
})

/** Imports a connection named Shop with these actions. */
async function withShop(service: CliService, baseUrl: string, actions: object[]) {
  const text = JSON.stringify({ connection: { name: 'Shop', baseUrl }, actions })
  const { status, body } = await rest(service, 'POST', '/import', { body: { text } })
  expect({ status, body }).toMatchObject({ status: 200 })
  return Imported.parse(body).connectionId
}

const test = (service: CliService, ...args: string[]) =>
  runCli(['test', 'Shop', '--data', service.data, ...args])

const lines = ({ stdout }: CliResult) => stdout.split('\n')

/** Returns a report as a build reads it. */
const junitOf = async (file: string) => await parse(readFileSync(file, 'utf8'))

/** The JSON of `--json`. */
const Printed = CasesRun.extend({
  skipped: z.int(),
  results: z.array(CasesRun.shape.results.element.extend({ toolName: z.string(), name: z.string() })),
})

describe('test', () => {
  let service: CliService
  beforeEach(async () => {
    service = await shared.empty()
  })

  it('exits 0 for the cases of the sample, and prints each of them', async () => {
    await rest(service, 'POST', '/samples', { body: {} })
    const run = (...args: string[]) => runCli(['test', sample, '--data', service.data, ...args])
    const all = await run()
    expect([all.code, all.stderr]).toEqual([0, ''])
    expect(lines(all)).toEqual([
      expect.stringMatching(/^passed {6}look_up_order {7}An order that was shipped {3}200 {2}[\d.]+ ms$/),
      expect.stringMatching(/^passed {6}look_up_order {7}An order that is not there {2}404 {2}[\d.]+ ms$/),
      expect.stringMatching(/^passed {6}list_recent_orders {2}The orders of a customer {4}200 {2}[\d.]+ ms$/),
      '',
      '3 cases: 3 passed.',
      '',
    ])
    const one = await run('--tool', 'look_up_order', '--case', 'An order that is not there', '--json')
    expect(one.code).toBe(0)
    expect(Printed.parse(jsonOf(one))).toMatchObject({
      ...{ ok: true, passed: 1, failed: 0, notCalled: 0, skipped: 0 },
      results: [{ toolName: 'look_up_order', name: 'An order that is not there', status: 404 }],
    })
  })

  it('exits 1 for one broken field of the sample’s system, and names its path', async () => {
    await rest(service, 'POST', '/samples', { body: {} })
    const orders = createOrderSystem(Date.now())
    const broken = await startExternalSystem(({ method, url, body }, response) => {
      const { pathname: path, searchParams: query } = new URL(url, 'http://system')
      const answer = orders.answer({ method, path, query, body })
      const text = JSON.stringify(answer.body).replace('"value":79.5', '"value":79.50000000000000001')
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
    })
    const { connectionId } = await firstConnection(service)
    await rest(service, 'PATCH', `/connections/${connectionId}`, { body: { baseUrl: broken.url } })
    const file = join(temporaryFolder(), 'cases.xml')
    const result = await runCli(['test', sample, '--data', service.data, '--junit', file])
    expect([result.code, result.stderr]).toEqual([1, `Written to ${file}.\n`])
    expect(lines(result).slice(0, 2)).toEqual([
      expect.stringMatching(/^failed {6}look_up_order {7}An order that was shipped {3}200 {2}[\d.]+ ms$/),
      '  order.total.value is 79.50000000000000001, not 79.5',
    ])
    expect(result.stdout).toMatch(/\n\n3 cases: 2 passed, 1 failed\.\n$/)
    const difference = 'order.total.value is 79.50000000000000001, not 79.5'
    const time = expect.any(Number)
    const classname = `${sample}/look_up_order`
    const counts = { failures: 1, errors: 0, skipped: 0, time }
    expect(await junitOf(file)).toEqual({
      ...{ name: `Cases of ${sample}`, tests: 3, ...counts },
      testsuite: [
        {
          ...{ name: 'look_up_order', tests: 2, ...counts },
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
          testcase: [
            {
              ...{ classname, name: 'An order that was shipped', time },
              failure: [{ type: 'differs', message: difference, inner: difference }],
            },
            { classname, name: 'An order that is not there', time },
          ],
        },
        expect.objectContaining({ name: 'list_recent_orders', tests: 1, failures: 0 }),
      ],
    })
  })

  it('exits 1 if the receiver is down: the cases were not called', async () => {
    await withShop(service, 'http://127.0.0.1:1', [actionOf('look_up', 'GET', [caseOf('A', [], null)])])
    const file = join(temporaryFolder(), 'cases.xml')
    const result = await test(service, '--junit', file)
    expect(result.code).toBe(1)
    expect(lines(result)[0]).toMatch(/^not called {2}look_up {2}A {2}– {4}[\d.]+ ms$/)
    expect(lines(result)[1]).toMatch(/^ {2}connection_refused: /)
    expect(result.stdout).toContain('1 case: 1 not called.\n')
    expect(await junitOf(file)).toMatchObject({
      ...{ tests: 1, failures: 0, errors: 1 },
      testsuite: [
        {
          testcase: [
            {
              name: 'A',
              error: [
                { type: 'connection_refused', message: expect.stringMatching(/^connection_refused: /) },
              ],
            },
          ],
        },
      ],
    })
  })

  it('exits 4 if no service runs', async () => {
    const result = await runCli(['test', 'Shop', '--data', temporaryFolder(), '--json'])
    expect(result.code).toBe(4)
    expect(jsonOf(result)).toMatchObject({ ok: false, code: 'service_not_running' })
  })

  it('exits 4 if the service goes away in the middle, and says what it had reached', async () => {
    const mortal = await serve(temporaryFolder())
    const system = await startExternalSystem(({ url }, response) => {
      if (url.endsWith('=B')) mortal.process.signal('SIGKILL')
      else response.setHeader('content-type', 'application/json').end('{"ok":true}')
    })
    const cases = ['A', 'B', 'C'].map(name => caseOf(name, [isOk]))
    await withShop(mortal, system.url, [actionOf('look_up', 'GET', cases)])
    const file = join(temporaryFolder(), 'cases.xml')
    const result = await test(mortal, '--junit', file)
    expect(result.code).toBe(4)
    expect(lines(result).slice(0, 3)).toEqual([
      expect.stringMatching(/^passed {6}look_up {2}A {2}200 {2}/),
      'not called  look_up  B  –',
      expect.stringMatching(/^ {2}service_not_running: /),
    ])
    expect(result.stdout).toContain('3 cases: 1 passed, 1 not called, 1 skipped.\n')
    expect(await junitOf(file)).toMatchObject({ tests: 3, failures: 0, errors: 1, skipped: 1 })
    expect(system.requests).toHaveLength(2)
  })

  it('exits 1 if there are no cases', async () => {
    const system = await startExternalSystem()
    const actions = [actionOf('look_up', 'GET', []), actionOf('other', 'GET', [caseOf('A')])]
    await withShop(service, system.url, actions)
    const ofAction = await test(service, '--tool', 'look_up', '--case', 'A')
    expect(ofAction).toEqual({
      ...{ code: 1, stdout: '', stderr: 'look_up has no cases, so nothing was tested.\n' },
    })
    await rest(service, 'DELETE', `/connections/${(await firstConnection(service)).connectionId}`)
    await withShop(service, system.url, actions.slice(0, 1))
    const file = join(temporaryFolder(), 'cases.xml')
    const ofAll = await test(service, '--json', '--junit', file)
    expect([ofAll.code, jsonOf(ofAll)]).toEqual([
      1,
      { ok: false, passed: 0, failed: 0, notCalled: 0, skipped: 0, results: [] },
    ])
    expect(ofAll.stderr).toBe(`Shop has no cases, so nothing was tested.\nWritten to ${file}.\n`)
    expect(await junitOf(file)).toMatchObject({ tests: 0 })
    expect(system.requests).toEqual([])
  })

  it('exits 2 for a GET and a POST without --yes, and sends nothing', async () => {
    const system = await startExternalSystem()
    const actions = [
      actionOf('look_up', 'GET', [caseOf('A', [isOk])]),
      actionOf('refund', 'POST', [caseOf('B', [isOk])]),
      actionOf('cancel', 'DELETE', [caseOf('C', [isOk])]),
    ]
    await withShop(service, system.url, actions)
    const refused = await test(service, '--json')
    expect(refused.code).toBe(2)
    expect(jsonOf(refused)).toEqual({
      ...{ ok: false, code: 'invalid_input' },
      message:
        '2 of 3 cases would call with another method than GET (POST, DELETE), which really acts. Allow it with --yes, or choose others with --tool or --case.',
    })
    expect(system.requests).toEqual([])
    expect((await test(service, '--tool', 'look_up')).code).toBe(0)
    expect((await test(service, '--yes')).code).toBe(0)
    expect(system.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST', 'DELETE'])
  })

  it('exits 2 for names that none has', async () => {
    const system = await startExternalSystem()
    const actionA = actionOf('look_up', 'GET', [caseOf('A'), caseOf('Both')])
    await withShop(service, system.url, [actionA, actionOf('find', 'GET', [caseOf('Both')])])
    const says = async (...args: string[]) => {
      const { code, stdout, stderr } = await test(service, ...args)
      return [code, stdout, stderr]
    }
    expect(await says('--case', 'none')).toEqual([
      ...[2, '', 'case_not_found: Shop has no case named "none".\n'],
    ])
    expect(await says('--tool', 'find', '--case', 'A\u001b[2J')).toEqual([
      ...[2, '', 'case_not_found: find has no case named "A\\u001b[2J".\n'],
    ])
    expect(await says('--tool', 'none')).toEqual([
      ...[2, '', 'action_not_found: Shop has no action named "none".\n'],
    ])
    expect((await runCli(['test', 'none', '--data', service.data])).code).toBe(2)
    expect((await runCli(['test', '--data', service.data])).code).toBe(2)
    expect((await test(service, '--junit', '')).code).toBe(2)
    expect(system.requests).toEqual([])
    expect((await test(service, '--case', 'Both')).stdout).toContain('2 cases: 2 passed.')
  })

  it('stops with --bail after the first case that has not passed', async () => {
    const system = await startExternalSystem(({ url }, response) => {
      response.setHeader('content-type', 'application/json').end(`{"ok":${!url.endsWith('=B')}}`)
    })
    const cases = ['A', 'B', 'C'].map(name => caseOf(name, [isOk]))
    await withShop(service, system.url, [
      actionOf('look_up', 'GET', cases),
      actionOf('refund', 'POST', cases.slice(2)),
    ])
    const file = join(temporaryFolder(), 'cases.xml')
    const result = await test(service, '--bail', '--yes', '--junit', file)
    expect(result.code).toBe(1)
    expect(result.stdout).toMatch(/ {2}ok is false, not true\n\n4 cases: 1 passed, 1 failed, 2 skipped\.\n$/)
    expect(system.requests).toHaveLength(2)
    const skipped = [{ message: 'The run ended before this case.' }]
    expect(await junitOf(file)).toMatchObject({
      ...{ tests: 4, failures: 1, skipped: 2 },
      testsuite: [
        { tests: 3, skipped: 1, testcase: [{ name: 'A' }, { name: 'B' }, { name: 'C', skipped }] },
        { tests: 1, skipped: 1, testcase: [{ name: 'C', skipped }] },
      ],
    })
  })

  it('prints the outcome if the report cannot be written, and exits 2', async () => {
    const system = await startExternalSystem()
    await withShop(service, system.url, [actionOf('look_up', 'GET', [caseOf('A', [isOk])])])
    const file = join(temporaryFolder(), 'none', 'cases.xml')
    const lost = await test(service, '--junit', file, '--json')
    expect([lost.code, Printed.parse(jsonOf(lost)).ok]).toEqual([2, true])
    expect(lost.stderr).toContain(`The file ${file} cannot be written: ENOENT`)
  })

  it('ends with Ctrl-C, and nothing more is called', async () => {
    const gone = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<SystemRequest>()
    const system = await startExternalSystem((request, response) => {
      if (!request.url.endsWith('=B'))
        return void response.setHeader('content-type', 'application/json').end('{"ok":true}')
      response.on('close', gone.resolve)
      reached.resolve(request)
    })
    const cases = ['A', 'B', 'C'].map(name => caseOf(name, [isOk]))
    await withShop(service, system.url, [actionOf('look_up', 'GET', cases)])
    const started = startCli(['test', 'Shop', '--data', service.data])
    await started.line('stdout', line => line.startsWith('passed'))
    await reached.promise
    started.signal('SIGINT')
    expect((await started.ended).stdout.trim().split('\n')).toHaveLength(1)
    await gone.promise
    expect(system.requests).toHaveLength(2)
  })

  it('shows names with control characters escaped, and no variable’s value in any output', async () => {
    const canary = 'c4n4ry-0f-4-v4ri4ble'
    await rest(service, 'PUT', '/environment/SHOP_KEY', { body: { value: canary } })
    const system = await startExternalSystem(({ headers, url }, response) => {
      const key = String(headers['x-key'])
      response.setHeader('x-echo', key)
      if (url.endsWith('=text')) return void response.end(`The key is ${key}`)
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ key, nested: { [key]: 1 } }))
    })
    const wrong = [
      { path: 'key', rule: 'equals', value: 'another' },
      { path: '$headers.x-echo', rule: 'matches', value: 'another*' },
      { path: 'nested', rule: 'absent' },
    ]
    const cases = [
      caseOf('json]]>\u0007\u001b[2J', wrong),
      caseOf('text', [{ path: 'result', rule: 'equals', value: 1 }]),
    ]
    const action = { ...actionOf('look_up', 'GET', cases), headers: { 'X-Key': '{{SHOP_KEY}}' } }
    await withShop(service, system.url, [action])
    const file = join(temporaryFolder(), 'cases.xml')
    const plain = await test(service, '--junit', file)
    const json = await test(service, '--json')
    expect([plain.code, json.code]).toEqual([1, 1])
    expect(system.requests[0]?.headers['x-key']).toBe(canary)
    expect(plain.stdout).toContain('json]]>\\u0007\\u001b[2J')
    expect(plain.stdout).toContain('key is ')
    expect(Printed.parse(jsonOf(json)).results[0]?.differences).toHaveLength(3)
    const log = service.process.output()
    for (const text of [plain, json, log].flatMap(({ stdout, stderr }) => [stdout, stderr]))
      expect(text).not.toContain(canary)
    expect(readFileSync(file, 'utf8')).not.toContain(canary)
    const inner = expect.stringMatching(/^key is ".*\n\$headers\.x-echo is ".*\nnested is there: \{".*$/)
    expect(await junitOf(file)).toMatchObject({
      testsuite: [{ testcase: [{ name: 'json]]>\ufffd\ufffd[2J', failure: [{ inner }] }, { name: 'text' }] }],
    })
    await rest(service, 'DELETE', '/environment/SHOP_KEY')
  })
})

async function firstConnection(service: CliService) {
  const [first] = z.array(Imported).parse((await rest(service, 'GET', '/connections')).body)
  if (first === undefined) throw new Error('There is no connection.')
  return first
}
