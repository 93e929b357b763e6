import { describe, expect, test } from 'vitest'
import { ExactJson } from '#shared/json/exact-json.ts'
import { Case, CasesRun } from '#shared/model/case.ts'
import { createAction } from '../support/actions.ts'
import { type SystemRequest, startExternalSystem } from '../support/external-system.ts'
import { createConnection, ErrorBody } from '../support/rest-client.ts'
import { type ServiceFixture, sharedService, startService } from '../support/service-fixture.ts'

const cleanService = sharedService()
const parameters = [{ name: 'id', type: 'string', description: 'Which', required: true }]

/** Creates a connection to a system with an action, and cases of it. */
async function withCases(
  fixture: ServiceFixture,
  url: string,
  names: readonly string[] = [],
  fields: object[] = [],
) {
  const { rest } = fixture
  const { connectionId } = await createConnection(rest, { baseUrl: url })
  const { actionId } = await createAction(rest, connectionId, { method: 'GET', parameters })
  const ofConnection = `/connections/${connectionId}`
  const path = `${ofConnection}/actions/${actionId}/cases`
  const create = async (name: string) => {
    const given = { name, arguments: { id: name }, expect: { status: 200, fields } }
    const { status, body } = await rest('POST', path, given)
    expect({ status, body }).toMatchObject({ status: 201 })
    return Case.parse(body).caseId
  }
  const ids: string[] = []
  for (const name of names) ids.push(await create(name))
  const runAll = async () => CasesRun.parse((await rest('POST', `${ofConnection}/cases/run`, {})).body)
  return { rest, connectionId, actionId, ofConnection, path, ids, runAll }
}

/** Starts a system whose answer to B waits until `go` is called. */
async function withHeldSystem() {
  const reached = Promise.withResolvers<SystemRequest>()
  const held = Promise.withResolvers<void>()
  const system = await startExternalSystem(async (request, response) => {
    if (request.url.endsWith('=B')) {
      reached.resolve(request)
      await held.promise
    }
    response.setHeader('content-type', 'application/json').end('{"ok":true}')
  })
  return { system, reached: reached.promise, go: held.resolve }
}

const codes = ({ results }: CasesRun) => results.map(({ reason, error }) => error?.code ?? reason)

describe('what changes while cases run', () => {
  test('a deleted case is not called, and the others are', async () => {
    const { system, reached, go } = await withHeldSystem()
    const { rest, path, ids, runAll } = await withCases(await cleanService(), system.url, [
      'A',
      'B',
      'C',
      'D',
    ])
    const running = runAll()
    await reached
    await rest('DELETE', `${path}/${ids[2]}`)
    go()
    const result = await running
    expect(codes(result)).toEqual(['passed', 'passed', 'case_not_found', 'passed'])
    expect(result).toMatchObject({ ok: false, passed: 3, notCalled: 1 })
    expect(system.requests).toHaveLength(3)
  })

  test.each([
    ['action', ''],
    ['connection', '/discard'],
  ])('a deleted %s takes no more calls', async (deleted, suffix) => {
    const { system, reached, go } = await withHeldSystem()
    const { rest, ofConnection, actionId, runAll } = await withCases(await cleanService(), system.url, [
      ...['A', 'B', 'C'],
    ])
    const running = runAll()
    await reached
    const path = deleted === 'action' ? `${ofConnection}/actions/${actionId}` : ofConnection
    expect((await rest(suffix === '' ? 'DELETE' : 'POST', `${path}${suffix}`)).status).toBe(200)
    go()
    expect(codes(await running)).toEqual(['passed', 'passed', 'case_not_found'])
    expect(system.requests).toHaveLength(2)
  })

  test('a new base URL and a new rule hold for the cases that follow', async () => {
    const { system, reached, go } = await withHeldSystem()
    const other = await startExternalSystem((_, response) => {
      response.setHeader('content-type', 'application/json').end('{"ok":false}')
    })
    const { rest, path, ofConnection, ids, runAll } = await withCases(await cleanService(), system.url, [
      ...['A', 'B', 'C'],
    ])
    const running = runAll()
    await reached
    await rest('PATCH', ofConnection, { baseUrl: other.url })
    const fields = [{ path: 'ok', rule: 'equals', value: true }]
    await rest('PATCH', `${path}/${ids[2]}`, { expect: { fields } })
    go()
    expect(codes(await running)).toEqual(['passed', 'passed', 'differs'])
    expect([system.requests.length, other.requests.length]).toEqual([2, 1])
    const [, , last] = Case.array().parse((await rest('GET', path)).body)
    expect(last?.last).toMatchObject({ reason: 'differs', isOld: false })
  })

  test('a run keeps no result that is older than the one kept meanwhile', async () => {
    const fixture = await cleanService()
    const { system, reached, go } = await withHeldSystem()
    const { rest, path, ids, runAll } = await withCases(fixture, system.url, ['A', 'B'])
    const running = runAll()
    await reached
    fixture.clock.now += 1000
    const newest = CasesRun.parse((await rest('POST', `${path}/${ids[0]}/run`)).body)
    go()
    await running
    const [a] = Case.array().parse((await rest('GET', path)).body)
    expect(a?.last?.callId).toBe(newest.results[0]?.callId)
    // A clock that was set back keeps no result from being the newest.
    fixture.clock.now -= 500_000
    const after = CasesRun.parse((await rest('POST', `${path}/${ids[0]}/run`)).body)
    const [again] = Case.array().parse((await rest('GET', path)).body)
    expect(again?.last?.callId).toBe(after.results[0]?.callId)
  })

  test('a service that stops ends the run', async () => {
    const fixture = await startService()
    const { system, reached, go } = await withHeldSystem()
    const { runAll, path } = await withCases(fixture, system.url, ['A', 'B', 'C'])
    const running = runAll().catch(() => null)
    await reached
    const stopping = fixture.stop()
    go()
    await Promise.all([running, stopping])
    expect(system.requests.length).toBeLessThanOrEqual(2)
    await fixture.restart()
    const cases = Case.array().parse((await fixture.rest('GET', path)).body)
    expect(cases.map(({ last }) => last?.ok ?? null)).toEqual([true, null, null])
  })
})

test('cases of an action that is gone do not keep the others from running', async () => {
  const fixture = await cleanService()
  const system = await startExternalSystem()
  const { rest, ofConnection, ids, runAll } = await withCases(fixture, system.url, ['A'])
  const { config } = fixture.service.storage
  // A node of an earlier version deletes an action without its cases.
  await config.update(given => {
    const [record] = [...given.cases.values()].slice(-1)
    if (record === undefined) throw new Error('There is no case.')
    const orphan = { ...record, caseId: 'case_gone', actionId: 'act_gone' }
    return { next: { ...given, cases: new Map(given.cases).set(orphan.caseId, orphan) }, result: null }
  })
  const all = Case.array().parse((await rest('GET', `${ofConnection}/cases`)).body)
  expect(all.map(({ caseId }) => caseId)).toEqual(ids)
  expect(codes(await runAll())).toEqual(['passed'])
})

test('the cases of a connection have at most 4 MiB of text', async () => {
  const { rest, path, ofConnection } = await withCases(await cleanService(), 'http://127.0.0.1:1')
  const large = (name: number) => ({ name: `${name}`, arguments: { id: 'x'.repeat(65_000) } })
  const answers: (readonly [number, string | null])[] = []
  for (let name = 0; name < 66; name++) {
    const { status, body } = await rest('POST', path, large(name))
    answers.push([status, status === 201 ? null : ErrorBody.parse(body).code])
  }
  expect(answers.filter(([status]) => status === 201)).toHaveLength(64)
  expect(answers.at(-1)).toEqual([409, 'too_many_cases'])
  const { text } = await rest('GET', `${ofConnection}/export`)
  expect((await rest('POST', '/import/preview', { text })).body).toMatchObject({ valid: true })
})

describe('secrets', () => {
  const canary = 'canary-of-a-variable-4711'

  test('no name and no path holds the value of a variable', async () => {
    const { rest, path } = await withCases(await cleanService(), 'http://127.0.0.1:1')
    await rest('PUT', '/environment/SHOP_KEY', { value: canary })
    const refused = async (fields: object) => {
      const given = { name: 'A', arguments: { id: '1' }, ...fields }
      return (await rest('POST', path, given)).status
    }
    expect(await refused({ name: `For ${canary}` })).toBe(400)
    expect(await refused({ expect: { fields: [{ path: `a.${canary}`, rule: 'exists' }] } })).toBe(400)
    expect(await refused({})).toBe(201)
  })

  test('a variable that is set later is shown nowhere', async () => {
    const fixture = await cleanService()
    const system = await startExternalSystem(({ url }, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ url, key: 'other' }))
    })
    const { rest, ofConnection, path, runAll } = await withCases(fixture, system.url)
    const text = `{"name":"For ${canary}","arguments":{"id":"${canary}","n":1.10},"expect":{"fields":[
      {"path":"key","rule":"equals","value":{"a":"${canary}","n":1.10}},{"path":"${canary}","rule":"exists"}]}}`
    const given = await rest('POST', path, new ExactJson(text.replace(',"n":1.10}', '}')))
    expect(given.status).toBe(201)
    await runAll()
    expect((await rest('GET', path)).text).toContain(canary)
    await rest('PUT', '/environment/SHOP_KEY', { value: canary })
    const texts = [
      await rest('GET', path),
      await rest('GET', `${path}/${Case.parse(given.body).caseId}`),
      await rest('GET', `${ofConnection}/cases`),
      await rest('GET', `${ofConnection}/export`),
      await rest('POST', `${ofConnection}/cases/run`, {}),
      await rest('GET', `${ofConnection}/cases`),
    ]
    for (const { status, text } of texts) {
      expect(status).toBe(200)
      expect(text).not.toContain(canary)
    }
    expect(system.requests.at(-1)?.url).toContain(canary)
  })
})

test('count without a number is refused', async () => {
  const { rest, path } = await withCases(await cleanService(), 'http://127.0.0.1:1')
  for (const value of [undefined, null, 'x', [], 1.5, -1]) {
    const fields = [{ path: 'a', rule: 'count', value }]
    const given = { name: 'A', arguments: { id: '1' }, expect: { fields } }
    expect((await rest('POST', path, given)).status).toBe(400)
  }
})

test('nothing is sent beyond the rate limit, and a long pause is not waited for', async () => {
  const fixture = await startService({ service: { clock: Date.now } })
  const system = await startExternalSystem((_, response) => {
    response.statusCode = 429
    response.setHeader('retry-after', '600').end()
  })
  const { rest, ofConnection, runAll } = await withCases(fixture, system.url, ['A', 'B', 'C'])
  await rest('PATCH', ofConnection, { rateLimit: { calls: 1, perSeconds: 3600 } })
  const result = await runAll()
  expect(result).toMatchObject({ ok: false, failed: 1, notCalled: 2 })
  expect(new Set(codes(result).slice(1)).size).toBe(1)
  expect(system.requests).toHaveLength(1)
})

test('results that cannot be kept are answered, and the newest one is shown until then', async () => {
  const broken = { is: false }
  const fixture = await startService({
    of: storage => ({
      ...storage,
      history: {
        ...storage.history,
        write: async batch => {
          if (broken.is) throw new Error('The disk is full.')
          await storage.history.write(batch)
        },
      },
    }),
  })
  const { system, go } = await withHeldSystem()
  go()
  const { rest, path, runAll } = await withCases(
    fixture,
    system.url,
    ['A', 'C'],
    [{ path: 'ok', rule: 'exists' }],
  )
  const lastIds = async () =>
    Case.array()
      .parse((await rest('GET', path)).body)
      .map(({ last }) => last?.callId)
  await runAll()
  broken.is = true
  const lost = await runAll()
  expect(lost).toMatchObject({ ok: true, passed: 2 })
  expect(await lastIds()).toEqual(lost.results.map(({ callId }) => callId))
  broken.is = false
  const kept = await runAll()
  expect(await lastIds()).toEqual(kept.results.map(({ callId }) => callId))
})
