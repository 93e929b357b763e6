import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { ExactJson } from '#shared/json/exact-json.ts'
import { Case, CasesRun } from '#shared/model/case.ts'
import { createAction } from '../support/actions.ts'
import { createConnection, ErrorBody, type Rest } from '../support/rest-client.ts'
import {
  adminToken,
  type ServiceFixture,
  sharedService,
  startOfTests,
  startService,
} from '../support/service-fixture.ts'

const cleanService = sharedService()
const now = new Date(startOfTests).toISOString()
const parameters = [
  { name: 'order_id', type: 'string', description: 'The order', required: true },
  { name: 'limit', type: 'number', description: 'How many', required: false },
]

/** Starts a receiver that answers all calls alike; its answer can be replaced. */
async function startReceiver() {
  const receiver = {
    url: '',
    status: 200,
    body: '{"order":{"id":"A-1","total":12345678901234567890,"lines":[1,2],"at":"2026-11-24T10:00:00Z"}}',
    headers: {} as Record<string, string>,
    calls: [] as string[],
    /** Returns whether a call gets no answer. */
    hang: (_url: string) => false,
    close: () => server.close(),
  }
  const server = createServer((request, response) => {
    receiver.calls.push(request.url ?? '')
    if (receiver.hang(request.url ?? '')) return
    response.writeHead(receiver.status, { 'content-type': 'application/json', ...receiver.headers })
    response.end(receiver.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return receiver
}

async function withAction(fixture?: ServiceFixture, method = 'GET') {
  const { rest, ...rest0 } = fixture ?? (await cleanService())
  const receiver = await startReceiver()
  const { connectionId } = await createConnection(rest, { baseUrl: receiver.url })
  const { actionId } = await createAction(rest, connectionId, { method, parameters })
  const ofConnection = `/connections/${connectionId}`
  return {
    ...rest0,
    rest,
    receiver,
    ofConnection,
    path: `${ofConnection}/actions/${actionId}/cases`,
    connectionId,
    actionId,
  }
}

const someCase = {
  name: 'An order',
  arguments: { order_id: 'A-1' },
  expect: { status: 200, fields: [{ path: 'order.id', rule: 'equals', value: 'A-1' }] },
}

async function create(rest: Rest, path: string, fields: object = someCase) {
  const { status, body } = await rest('POST', path, fields)
  expect({ status, body }).toMatchObject({ status: 201 })
  return Case.parse(body)
}

async function run(rest: Rest, path: string, body?: object) {
  const answer = await rest('POST', path, body)
  expect(answer.status).toBe(200)
  return CasesRun.parse(answer.body)
}

const issuesOf = (body: unknown) =>
  z
    .object({ data: z.object({ issues: z.array(z.object({ path: z.string() })) }) })
    .parse(body)
    .data.issues.map(({ path }) => path)

describe('cases', () => {
  test('are kept with their action, changed one by one, and removed', async () => {
    const { rest, path, ofConnection, actionId } = await withAction()
    const made = await create(rest, path)
    expect(made).toEqual({
      ...someCase,
      ...{ caseId: expect.stringMatching(/^case_[\w-]{21}$/), actionId },
      ...{ createdAt: now, updatedAt: now, last: null },
    })
    const one = `${path}/${made.caseId}`
    for (const change of [
      { name: 'Another name' },
      { arguments: { order_id: 'A-2' } },
      { expect: { status: '2xx', fields: [] } },
      { expect: { status: null, fields: [{ path: '$headers.etag', rule: 'exists' }] } },
    ]) {
      const changed = await rest('PATCH', one, change)
      expect(changed).toMatchObject({ status: 200, body: change })
      expect((await rest('GET', one)).body).toEqual(changed.body)
    }
    expect((await rest('GET', path)).body).toEqual([(await rest('GET', one)).body])
    expect((await rest('GET', `${ofConnection}/cases`)).body).toEqual((await rest('GET', path)).body)
    expect(await rest('DELETE', one)).toMatchObject({ status: 200, body: { deleted: 1 } })
    expect((await rest('GET', path)).body).toEqual([])
    expect(ErrorBody.parse((await rest('GET', one)).body).code).toBe('case_not_found')
  })

  test('numbers keep all their digits, in arguments and in values', async () => {
    const { rest, path, receiver } = await withAction()
    const text = `{"name":"Exact","arguments":{"order_id":"A-1","limit":1.10},"expect":{"fields":[
      {"path":"order.total","rule":"equals","value":1234567890123456789e1}]}}`
    const { caseId } = Case.parse((await rest('POST', path, new ExactJson(text))).body)
    const shown = await rest('GET', `${path}/${caseId}`)
    expect(shown.text).toContain('"limit":1.10')
    expect(shown.text).toContain('"value":1234567890123456789e1')
    expect(await run(rest, `${path}/${caseId}/run`)).toMatchObject({ ok: true, passed: 1 })
    expect(receiver.calls).toEqual([expect.stringContaining('limit=1.10')])
    receiver.body = receiver.body.replace('12345678901234567890', '12345678901234567891')
    const differs = await rest('POST', `${path}/${caseId}/run`)
    expect(differs.text).toContain('"actual":12345678901234567891')
    expect(CasesRun.parse(differs.body)).toMatchObject({ ok: false, failed: 1 })
  })

  test('each rule passes for what it says, and names the difference', async () => {
    const { rest, path, receiver } = await withAction()
    receiver.headers = { etag: '"v1"' }
    const fields = [
      { path: 'order.id', rule: 'matches', value: 'A-*' },
      { path: 'order.lines', rule: 'count', value: 2 },
      { path: 'order.lines', rule: 'type', value: 'array' },
      { path: 'order.at', rule: 'type', value: 'date' },
      { path: 'order.gone', rule: 'absent' },
      { path: 'order.lines[1]', rule: 'exists' },
      { path: '$headers.ETag', rule: 'equals', value: '"v1"' },
      { path: 'order.lines', rule: 'equals', value: [1, 2.0] },
    ]
    const { caseId } = await create(rest, path, { ...someCase, expect: { status: '2xx', fields } })
    expect(await run(rest, `${path}/${caseId}/run`)).toMatchObject({ passed: 1, failed: 0, notCalled: 0 })

    receiver.status = 422
    receiver.headers = {}
    receiver.body = '{"order":{"id":"B-1","lines":[1],"at":"today","gone":null}}'
    const { results } = await run(rest, `${path}/${caseId}/run`)
    expect(results).toEqual([
      {
        ...{ caseId, actionId: expect.any(String), callId: expect.stringMatching(/^call_/) },
        ...{ ok: false, reason: 'differs', status: 422, totalMs: expect.any(Number), error: null },
        differences: [
          { path: '$status', rule: 'equals', expected: '2xx', actual: 422 },
          { path: 'order.id', rule: 'matches', expected: 'A-*', actual: 'B-1' },
          { path: 'order.lines', rule: 'count', expected: 2, actual: 1 },
          { path: 'order.at', rule: 'type', expected: 'date', actual: 'today' },
          { path: 'order.gone', rule: 'absent', actual: null },
          { path: 'order.lines[1]', rule: 'exists' },
          { path: '$headers.ETag', rule: 'equals', expected: '"v1"' },
          { path: 'order.lines', rule: 'equals', expected: [1, 2], actual: [1] },
        ],
      },
    ])
  })

  test('a case without an answer has not passed, and neither has a run of none', async () => {
    const { rest, path, ofConnection, receiver, actionId } = await withAction()
    expect(await run(rest, `${ofConnection}/cases/run`)).toEqual({
      ...{ ok: false, passed: 0, failed: 0, notCalled: 0, results: [] },
    })
    const { caseId } = await create(rest, path, { ...someCase, expect: { status: null } })
    await rest('PATCH', ofConnection, { baseUrl: 'http://127.0.0.1:1' })
    expect(await run(rest, `${path}/${caseId}/run`)).toMatchObject({
      ...{ ok: false, notCalled: 1 },
      results: [
        { reason: 'not_called', status: null, differences: [], error: { code: 'connection_refused' } },
      ],
    })
    // The action now needs an argument that the case does not have.
    await rest('PATCH', ofConnection, { baseUrl: receiver.url })
    const more = [...parameters, { name: 'region', type: 'string', description: 'Where', required: true }]
    await rest('PATCH', `${ofConnection}/actions/${actionId}`, { parameters: more })
    expect(await run(rest, `${path}/${caseId}/run`)).toMatchObject({
      results: [{ reason: 'not_called', error: { code: 'invalid_arguments' } }],
    })
  })

  test('the newest result survives a restart, and is old once the case or its action changes', async () => {
    const fixture = await startService()
    const { rest, path, ofConnection, receiver, actionId } = await withAction(fixture)
    const { caseId } = await create(rest, path)
    receiver.body = '{"order":{"id":"A-2"}}'
    fixture.clock.now += 1000
    const { results } = await run(rest, `${path}/${caseId}/run`)
    const last = {
      ...{
        ok: false,
        reason: 'differs',
        status: 200,
        error: null,
        isOld: false,
        totalMs: expect.any(Number),
      },
      ...{ at: new Date(fixture.clock.now).toISOString(), callId: results[0]?.callId },
      difference: { path: 'order.id', rule: 'equals', expected: 'A-1', actual: 'A-2' },
    }
    const newest = async () => Case.parse((await fixture.rest('GET', `${path}/${caseId}`)).body).last
    expect(await newest()).toEqual(last)
    await fixture.restart()
    expect(await newest()).toEqual(last)
    await fixture.rest('PATCH', `${ofConnection}/actions/${actionId}`, { description: 'Another.' })
    expect(await newest()).toEqual({ ...last, isOld: true })
    receiver.body = '{"order":{"id":"A-1"}}'
    await run(fixture.rest, `${path}/${caseId}/run`)
    expect(await newest()).toMatchObject({ ok: true, isOld: false, difference: null })
    await fixture.rest('PATCH', `${path}/${caseId}`, { name: 'B' })
    expect(await newest()).toMatchObject({ ok: true, isOld: true })
  })

  test('a call of a case is a call like any other, with its source', async () => {
    const { rest, path, connectionId } = await withAction()
    const { caseId } = await create(rest, path)
    const { results } = await run(rest, `${path}/${caseId}/run`)
    const call = await rest('GET', `/calls/${results[0]?.callId}`)
    expect(call.body).toMatchObject({ source: 'case', ok: true, connectionId })
    const list = await rest('GET', `/activity/list?source=case&connectionId=${connectionId}`)
    expect(list.body).toMatchObject({ items: [{ type: 'call.finished', callId: results[0]?.callId }] })
  })

  test('a run of a connection runs in the order asked for, and those of an action alone', async () => {
    const { rest, path, ofConnection, actionId, receiver } = await withAction()
    const one = await create(rest, path)
    const two = await create(rest, path, { ...someCase, name: 'Two', arguments: { order_id: 'A-2' } })
    const ids = (given: CasesRun) => given.results.map(({ caseId }) => caseId)
    const all = await run(rest, `${ofConnection}/cases/run`, {})
    expect([all.passed, ids(all)]).toEqual([2, [one.caseId, two.caseId]])
    const chosen = await run(rest, `${ofConnection}/cases/run`, { caseIds: [two.caseId, one.caseId] })
    expect(ids(chosen)).toEqual([two.caseId, one.caseId])
    expect(receiver.calls.slice(2).map(call => call.includes('A-2'))).toEqual([true, false])
    expect(ids(await run(rest, `${ofConnection}/cases/run`, { actionId }))).toHaveLength(2)
    const unknown = await rest('POST', `${ofConnection}/cases/run`, { caseIds: ['case_x'] })
    expect([unknown.status, ErrorBody.parse(unknown.body).code]).toEqual([404, 'case_not_found'])
    const tooMany = await rest('POST', `${ofConnection}/cases/run`, { caseIds: Array(201).fill(one.caseId) })
    expect([tooMany.status, issuesOf(tooMany.body)]).toEqual([400, ['caseIds']])
  })

  test('a deleted action takes its cases along, and brings them back', async () => {
    const { rest, path, ofConnection, actionId } = await withAction()
    const { caseId } = await create(rest, path)
    await run(rest, `${path}/${caseId}/run`)
    await rest('DELETE', `${ofConnection}/actions/${actionId}`)
    expect((await rest('GET', `${ofConnection}/cases`)).body).toEqual([])
    await rest('POST', `${ofConnection}/actions/${actionId}/restore`)
    expect((await rest('GET', path)).body).toMatchObject([{ caseId, last: { ok: true } }])
  })

  test('those of a discarded connection come back with it, and are gone once it is deleted', async () => {
    const fixture = await startService({ service: { undoMs: 60_000 } })
    const { rest, path, ofConnection } = await withAction(fixture)
    const { caseId } = await create(rest, path)
    await run(rest, `${path}/${caseId}/run`)
    const stored = () => fixture.service.storage.config.snapshot().cases.size
    expect((await rest('POST', `${ofConnection}/discard`)).status).toBe(200)
    expect((await rest('GET', `${ofConnection}/cases`)).status).toBe(404)
    await fixture.restart()
    expect((await fixture.rest('POST', `${ofConnection}/restore`)).status).toBe(200)
    expect((await fixture.rest('GET', path)).body).toMatchObject([{ caseId, last: { ok: true } }])
    expect(stored()).toBe(1)
    expect((await fixture.rest('DELETE', ofConnection)).status).toBe(200)
    expect(stored()).toBe(0)
  })

  test('a caller that goes away ends the run: what was called is kept, and nothing else is called', async () => {
    const fixture = await cleanService()
    const { rest, path, ofConnection, receiver } = await withAction(fixture)
    for (const name of ['A', 'B', 'C'])
      await create(rest, path, { ...someCase, name, arguments: { order_id: name } })
    const asked = new AbortController()
    receiver.hang = url => {
      if (!url.includes('B')) return false
      asked.abort()
      return true
    }
    const url = `${fixture.dashboardUrl}/api/v1${ofConnection}/cases/run`
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
    await expect(fetch(url, { method: 'POST', body: '{}', headers, signal: asked.signal })).rejects.toThrow()
    const results = async () =>
      Case.array()
        .parse((await rest('GET', path)).body)
        .map(({ last }) => last?.ok ?? null)
    await expect.poll(results).toEqual([true, null, null])
    expect(receiver.calls).toHaveLength(2)
  })

  test('a case waits for its turn in the rate limit', async () => {
    const fixture = await startService({ service: { clock: Date.now } })
    const { rest, path, ofConnection } = await withAction(fixture)
    await rest('PATCH', ofConnection, { rateLimit: { calls: 1, perSeconds: 3 } })
    for (const name of ['A', 'B']) await create(rest, path, { ...someCase, name })
    expect(await run(rest, `${ofConnection}/cases/run`, {})).toMatchObject({ ok: true, passed: 2 })
  })

  test('results of deleted cases make room for those of new ones', async () => {
    const { rest, path, connectionId, service } = await withAction()
    const records = () => service.storage.history.newestOfEach({ kind: 'case', connectionId })
    for (const name of ['A', 'B', 'C']) {
      const { caseId } = await create(rest, path, { ...someCase, name })
      await run(rest, `${path}/${caseId}/run`)
      await run(rest, `${path}/${caseId}/run`)
      expect((await records()).map(({ subject }) => subject)).toEqual([caseId])
      await rest('DELETE', `${path}/${caseId}`)
    }
  })

  test('an export has the cases, and its import elsewhere gives the same bytes', async () => {
    const { rest, path, ofConnection } = await withAction()
    const text = `{"name":"Exact","arguments":{"order_id":"A-1","limit":1.10},"expect":{"status":"2xx","fields":[
      {"path":"a","rule":"equals","value":{"b":12345678901234567890,"__proto__":[null]}},{"path":"c","rule":"absent"}]}}`
    expect((await rest('POST', path, new ExactJson(text))).status).toBe(201)
    const { text: exported } = await rest('GET', `${ofConnection}/export`)
    expect(exported).toContain('"cases"')
    const other = await startService()
    const preview = await other.rest('POST', '/import/preview', { text: exported })
    expect(preview.body).toMatchObject({ valid: true, issues: [] })
    const { body } = await other.rest('POST', '/import', { text: exported })
    const { connectionId } = z.object({ connectionId: z.string() }).parse(body)
    expect((await other.rest('GET', `/connections/${connectionId}/export`)).text).toBe(exported)
    expect((await other.rest('GET', `/connections/${connectionId}/cases`)).body).toMatchObject([
      { name: 'Exact', last: null },
    ])
  })

  test('an import only warns of what it does not know of a case', async () => {
    const { rest } = await cleanService()
    const action = { name: 'Look up', description: 'When asked.', path: '/o' }
    const preview = async (cases: unknown) => {
      const text = JSON.stringify({ connection: { name: 'C' }, actions: [{ ...action, cases }] })
      const { body } = await rest('POST', '/import/preview', { text })
      const Shown = z.object({
        valid: z.boolean(),
        issues: z.array(z.object({ path: z.string(), severity: z.string() })),
      })
      const { valid, issues } = Shown.parse(body)
      return [
        valid,
        issues.filter(({ path }) => path.includes('cases')).map(({ path, severity }) => [path, severity]),
      ]
    }
    const fields = [{ path: 'a', rule: 'exists', later: 1 }]
    const known = { name: 'A', arguments: { x: 1 }, later: 1, expect: { status: 200, later: 1, fields } }
    expect(await preview([known])).toEqual([
      true,
      expect.arrayContaining([
        ['actions[0].cases[0].later', 'warning'],
        ['actions[0].cases[0].expect.later', 'warning'],
        ['actions[0].cases[0].expect.fields[0].later', 'warning'],
        ['actions[0].cases[0].arguments', 'warning'],
      ]),
    ])
    expect(await preview('x')).toEqual([false, [['actions[0].cases', 'error']]])
    expect(await preview([1])).toEqual([false, [['actions[0].cases[0]', 'error']]])
    expect(await preview([{ name: 'A' }, { name: 'A' }])).toEqual([
      false,
      [['actions[0].cases[1].name', 'error']],
    ])
    expect(await preview([{ name: 'A', expect: { fields: [{ path: '', rule: 'equals' }] } }])).toMatchObject([
      false,
      expect.arrayContaining([['actions[0].cases[0].expect.fields[0].path', 'error']]),
    ])
    expect(await preview(Array.from({ length: 101 }, (_, index) => ({ name: `${index}` })))).toEqual([
      false,
      [['actions[0].cases', 'error']],
    ])
  })
})

describe('bad input', () => {
  test('is refused with its path', async () => {
    const { rest, path } = await withAction()
    await rest('PUT', '/environment/SHOP_KEY', { value: 'secret-canary-4711' })
    const refusal = async (fields: object) => {
      const { status, body } = await rest('POST', path, { ...someCase, ...fields })
      expect([status, ErrorBody.parse(body).code]).toEqual([400, 'invalid_input'])
      return issuesOf(body)
    }
    const field = (one: object) => ({ expect: { fields: [{ path: 'a', rule: 'equals', value: 1, ...one }] } })
    expect(await refusal({ name: '' })).toEqual(['name'])
    expect(await refusal(field({ path: 'a..b' }))).toEqual(['expect.fields.0.path'])
    expect(await refusal(field({ rule: 'type', value: 'integer' }))).toEqual(['expect.fields.0.value'])
    expect(await refusal(field({ rule: 'matches', value: 3 }))).toEqual(['expect.fields.0.value'])
    expect(await refusal(field({ rule: 'count', value: -1 }))).toEqual(['expect.fields.0.value'])
    expect(await refusal(field({ rule: 'exists' }))).toEqual(['expect.fields.0.value'])
    expect(await refusal({ expect: { fields: [{ path: 'a', rule: 'equals' }] } })).toEqual([
      'expect.fields.0.value',
    ])
    expect(await refusal({ expect: { status: 99 } })).toEqual(['expect.status'])
    expect(await refusal({ expect: { status: '6xx' } })).toEqual(['expect.status'])
    expect(await refusal({ expect: { fields: Array(51).fill({ path: 'a', rule: 'exists' }) } })).toEqual([
      'expect.fields',
    ])
    expect(await refusal({ arguments: { order_id: 1 } })).toEqual(['arguments.order_id'])
    expect(await refusal({ arguments: {} })).toEqual(['arguments.order_id'])
    expect(await refusal({ arguments: { order_id: 'x'.repeat(65_536) } })).toEqual(['arguments'])
    expect(await refusal({ arguments: { order_id: 'secret-canary-4711' } })).toEqual(['arguments'])
    expect(await refusal(field({ value: { deep: ['secret-canary-4711'] } }))).toEqual(['expect'])
    expect((await rest('GET', path)).body).toEqual([])
  })

  test('a name twice, and too many', async () => {
    const { rest, path, ofConnection, connectionId } = await withAction()
    const { caseId } = await create(rest, path)
    const code = async (answer: ReturnType<Rest>) => {
      const { status, body } = await answer
      return [status, ErrorBody.parse(body).code]
    }
    expect(await code(rest('POST', path, someCase))).toEqual([409, 'case_name_taken'])
    const other = await create(rest, path, { ...someCase, name: 'Other' })
    expect(await code(rest('PATCH', `${path}/${other.caseId}`, { name: someCase.name }))).toEqual([
      409,
      'case_name_taken',
    ])
    expect((await rest('PATCH', `${path}/${caseId}`, { name: someCase.name })).status).toBe(200)

    const cases = Array.from({ length: 100 }, (_, index) => ({
      name: `Case ${index}`,
      arguments: { order_id: 'A' },
    }))
    const action = (name: string) => ({ name, description: 'When asked.', path: '/o', parameters, cases })
    const actions = Array.from({ length: 10 }, (_, index) => action(`Action ${index}`))
    const imported = (given: object[]) =>
      rest('POST', '/import', { connectionId, text: JSON.stringify({ actions: given }) })
    expect(await code(imported(actions))).toEqual([409, 'too_many_cases'])
    expect((await imported(actions.slice(1))).status).toBe(200)
    const [full] = Case.array()
      .parse((await rest('GET', `${ofConnection}/cases`)).body)
      .slice(-1)
    const ofFull = `${ofConnection}/actions/${full?.actionId}/cases`
    expect(await code(rest('POST', ofFull, someCase))).toEqual([409, 'too_many_cases'])
    expect(await code(rest('POST', `${ofConnection}/cases/run`, {}))).toEqual([400, 'invalid_input'])
  })
})
