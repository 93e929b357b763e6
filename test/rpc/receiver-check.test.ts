import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Credentials } from '#shared/model/connection.ts'
import { CheckId, ReceiverCheck } from '#shared/model/receiver-check.ts'
import { startVerifier } from '../renderer/entities/snippet/verifier.ts'
import { createAction, testAction, testsOf } from '../support/actions.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { missingOf, titled } from '../support/has-program.ts'
import { expectNowhere } from '../support/leaks.ts'
import { createConnection, errorCode, issuePaths, type Rest } from '../support/rest-client.ts'
import { sharedService, startService } from '../support/service-fixture.ts'

const cleanService = sharedService({ service: { clock: Date.now } })

const parameters = [
  { name: 'order_id', type: 'string', description: 'The order', required: true },
  { name: 'amount', type: 'number', description: 'How much', required: true },
]
const given = { order_id: 'Bestellung-ä-1', amount: 0.01 }
type Findings = Partial<Record<CheckId, readonly [verdict: string, advice: string | null]>>

const all = (ids: readonly CheckId[], verdict: string, advice: string | null): Findings =>
  Object.fromEntries(ids.map(id => [id, [verdict, advice]]))
const accepted = CheckId.options.filter(id => id.startsWith('accepted_'))
const refusedFor = (advice: string): Findings => all(accepted, 'failed', advice)

/** Each mistake of a receiver, and every check that does not pass. */
const mistakes: [mistake: string, findings: Findings, inPython?: Findings][] = [
  ['right', {}],
  ['no_window', all(['refused_stale', 'refused_future'], 'failed', 'no_window')],
  ['seconds', refusedFor('seconds')],
  ['no_absolute', { refused_future: ['failed', 'no_absolute'] }],
  [
    'compared_after_parsing',
    { accepted_spacing: ['failed', 'compared_after_parsing'] },
    // json.dumps writes spaces, which only the respelled call has.
    { ...refusedFor('compared_after_parsing'), accepted_spacing: ['passed', null] },
  ],
  ['prefix_stripped', refusedFor('key_without_prefix')],
  ['key_decoded', refusedFor('key_decoded')],
  ['body_alone', refusedFor('body_alone')],
  ['empty_accepted', { refused_empty_signature: ['failed', 'empty_accepted'] }],
  ['missing_accepted', all(['refused_unsigned', 'refused_no_timestamp'], 'failed', 'missing_accepted')],
  ['case_sensitive', { accepted_header_case: ['failed', 'case_sensitive'] }],
  ['not_raw', { accepted_spacing: ['failed', 'compared_after_parsing'] }],
  [
    'ok_for_wrong',
    {
      ...all(['refused_stale', 'refused_future'], 'failed', null),
      ...all(['refused_unsigned', 'refused_no_timestamp'], 'failed', 'missing_accepted'),
      refused_empty_signature: ['failed', 'empty_accepted'],
      ...all(['refused_tampered', 'refused_timestamp_changed', 'refused_wrong_secret'], 'failed', null),
      refused_replaced_secret: ['failed', null],
    },
  ],
  ['crashes', { survives_not_json: ['failed', 'crashes'] }],
  ['old_secret', { refused_replaced_secret: ['failed', 'old_secret_accepted'] }],
  ['redirect', all(CheckId.options, 'look', 'redirects')],
  ['time_out', all(CheckId.options, 'look', 'slow')],
]

/** Fires the check of an action over REST. */
async function check(rest: Rest, place: { connectionId: string; actionId: string }, body: object) {
  const { connectionId, actionId } = place
  const answer = await rest('POST', `/connections/${connectionId}/actions/${actionId}/check`, body)
  expect(answer.status, answer.text).toBe(200)
  return ReceiverCheck.parse(answer.body)
}

const findingsOf = ({ checks }: ReceiverCheck): Findings =>
  Object.fromEntries(
    checks
      .filter(({ verdict }) => verdict !== 'passed')
      .map(({ id, verdict, advice }) => [id, [verdict, advice?.code ?? null]]),
  )

/** A connection whose secret was replaced without a grace period. */
async function connectionWithOldSecret(rest: Rest, fields: object = {}) {
  const { connectionId, credentials } = await createConnection(rest, fields)
  await rest('POST', `/connections/${connectionId}/rotate-secret`, { graceHours: 0 })
  const { signingSecret } = Credentials.parse(
    (await rest('GET', `/connections/${connectionId}/credentials`)).body,
  )
  return { connectionId, signingSecret, oldSecret: credentials.signingSecret }
}

describe.each([
  ['python3', 'mistaken.py', ['-B']],
  [process.execPath, 'mistaken.mjs', []],
])('%s', (program, file, options) => {
  const missing = missingOf(program)
  describe.skipIf(missing.length > 0)(titled('receivers', missing), () => {
    let service: Awaited<ReturnType<typeof cleanService>>
    let connectionId = ''
    let stop = () => {}

    beforeAll(async () => {
      service = await cleanService()
      const made = await connectionWithOldSecret(service.rest, { timeoutMs: 1000 })
      connectionId = made.connectionId
      const path = join(import.meta.dirname, '..', 'outbound', 'receivers', file)
      const child = spawn(program, [...options, path, made.signingSecret, made.oldSecret], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      stop = () => child.kill()
      const [port] = await once(child.stdout, 'data')
      const change = { baseUrl: `http://127.0.0.1:${String(port).trim()}` }
      await service.rest('PATCH', `/connections/${connectionId}`, change)
    })
    afterAll(() => stop())

    test.each(mistakes)('%s', async (mistake, findings, inPython) => {
      const { rest } = service
      const action = { name: mistake, method: 'POST', path: `/${mistake}`, parameters }
      const { actionId } = await createAction(rest, connectionId, action)
      const chosen = mistake === 'time_out' ? { checks: ['accepted_now'] } : {}
      const answer = await check(
        rest,
        { connectionId, actionId },
        { arguments: given, allowEffects: true, ...chosen },
      )
      const named = file === 'mistaken.py' && inPython ? inPython : findings
      const expected = answer.checks.flatMap(({ id }) => {
        const found = named[id]
        return found === undefined || found[0] === 'passed' ? [] : [[id, found]]
      })
      expect(findingsOf(answer)).toEqual(Object.fromEntries(expected))
      const verdicts = Object.values(named).map(([verdict]) => verdict)
      expect(answer.verdict).toBe(
        verdicts.includes('failed') ? 'failed' : verdicts.includes('look') ? 'look' : 'passed',
      )
    })

    test('a right receiver of a GET passes, whose body is empty', async () => {
      const { rest } = service
      const { actionId } = await createAction(rest, connectionId, {
        name: 'Read',
        path: '/right',
        parameters,
      })
      const answer = await check(rest, { connectionId, actionId }, { arguments: given })
      expect(answer.verdict).toBe('passed')
      const skipped = answer.checks.filter(({ verdict }) => verdict === 'skipped')
      expect(skipped.map(({ id, reason }) => [id, reason])).toEqual([
        ['refused_tampered', 'no_body'],
        ['survives_not_json', 'no_body'],
      ])
    })
  })
})

/** A connection to an external system that runs here, and a POST action of it. */
async function withSystem(...answer: Parameters<typeof startExternalSystem>) {
  const service = await cleanService()
  const system = await startExternalSystem(...answer)
  const connection = await connectionWithOldSecret(service.rest, { baseUrl: system.url })
  const { connectionId } = connection
  const { actionId } = await createAction(service.rest, connectionId, { method: 'POST', parameters })
  return { ...service, system, connection, place: { connectionId, actionId } }
}

const refuse: Parameters<typeof startExternalSystem>[0] = (_request, response) => {
  response.writeHead(403).end()
}

/** docs/receiver.md has the one in Node. */
describe.each(['node', 'python'] as const)('the receiver that the dashboard shows in %s', language => {
  const missing = language === 'python' ? missingOf('python3') : []
  test.skipIf(missing.length > 0)(titled('passes', missing), async () => {
    const { rest } = await cleanService()
    const { connectionId, signingSecret } = await connectionWithOldSecret(rest)
    const baseUrl = await startVerifier(language, signingSecret)
    await rest('PATCH', `/connections/${connectionId}`, { baseUrl })
    const { actionId } = await createAction(rest, connectionId, { method: 'POST', parameters })
    const answer = await check(rest, { connectionId, actionId }, { arguments: given, allowEffects: true })
    expect(findingsOf(answer)).toEqual({})
    expect(answer.verdict).toBe('passed')
  })
})

describe('a receiver check', () => {
  test('sends only what must be refused unless effects are allowed, and notes another status than 401', async () => {
    const { rest, place, system } = await withSystem(refuse)
    const { verdict, checks } = await check(rest, place, { arguments: given })
    const sent = checks.filter(({ status }) => status !== null)
    expect(verdict).toBe('passed')
    expect(sent.map(({ id }) => id)).toEqual(CheckId.options.filter(id => id.startsWith('refused_')))
    expect(new Set(sent.map(({ reason }) => reason))).toEqual(new Set(['not_401']))
    expect(system.requests).toHaveLength(sent.length)
    const left = checks.filter(({ status }) => status === null)
    expect(left).toHaveLength(CheckId.options.length - sent.length)
    for (const one of left)
      expect(one).toMatchObject({
        verdict: 'skipped',
        reason: 'effects_not_allowed',
        tookMs: null,
        callId: null,
      })
  })

  test('names what a replay answers otherwise, and 5xx and a closed connection', async () => {
    let count = 0
    const numbered = await withSystem((_request, response) => void response.end(String(count++)))
    const replay = { arguments: given, allowEffects: true, checks: ['survives_replay'] }
    expect(await check(numbered.rest, numbered.place, replay)).toMatchObject({
      verdict: 'look',
      checks: [{ id: 'survives_replay', status: 200, verdict: 'look', reason: 'answers_differ' }],
    })
    const [first, second, ...others] = numbered.system.requests
    expect(second).toEqual(first)
    expect(others).toEqual([])

    const failing = await withSystem((_request, response) => void response.writeHead(503).end())
    const { verdict, checks } = await check(failing.rest, failing.place, {
      arguments: given,
      allowEffects: true,
    })
    expect(verdict).toBe('look')
    for (const one of checks)
      expect(one).toMatchObject({ verdict: 'look', reason: 'server_error', advice: { code: 'crashes' } })

    const closing = await withSystem(({ body }, response) => {
      if (body.startsWith('{')) response.end()
      else response.destroy()
    })
    const notJson = { ...replay, checks: ['accepted_now', 'survives_not_json'] }
    expect((await check(closing.rest, closing.place, notJson)).checks[1]).toMatchObject({
      ...{ status: null, verdict: 'failed', reason: 'connection_reset', advice: { code: 'crashes' } },
    })
  })

  test('finds out why one chosen call is refused by a plain one', async () => {
    const { rest, place, system } = await withSystem(({ headers }, response) => {
      response.writeHead(Number(headers['x-service-timestamp']) > Date.now() - 60_000 ? 200 : 401).end()
    })
    const chosen = { arguments: given, allowEffects: true, checks: ['accepted_old'] }
    expect((await check(rest, place, chosen)).checks).toMatchObject([
      { id: 'accepted_old', verdict: 'failed', reason: 'refused', advice: { code: 'seconds' } },
    ])
    expect(system.requests).toHaveLength(2)
  })

  test('counts for no figure and no list of tests, and each call is recorded without secrets', async () => {
    const service = await startService({ service: { clock: Date.now } })
    const { rest } = service
    const system = await startExternalSystem(refuse)
    const { connectionId, signingSecret, oldSecret } = await connectionWithOldSecret(rest, {
      baseUrl: system.url,
    })
    await rest('PUT', '/environment/SHOP_KEY', { value: 'sk-canary-0815-of-the-check' })
    const headers = { Authorization: 'Bearer {{SHOP_KEY}}' }
    const { actionId } = await createAction(rest, connectionId, { method: 'POST', parameters, headers })
    const place = { connectionId, actionId }
    const figures = async () =>
      Promise.all(
        [
          '/statistics',
          `/statistics?connectionId=${connectionId}`,
          `/statistics/hours?connectionId=${connectionId}`,
          '/connections/figures',
        ].map(async path => (await rest('GET', path)).body),
      )
    const tested = await testAction(rest, place, given)
    const before = await figures()
    const answer = await rest('POST', `/connections/${connectionId}/actions/${actionId}/check`, {
      arguments: given,
      allowEffects: true,
    })
    const { checks } = ReceiverCheck.parse(answer.body)
    expect(checks[0]).toMatchObject({ verdict: 'failed', reason: 'refused', advice: null })
    // The 15 checks, and the four variants that did not explain the refusal.
    expect(system.requests).toHaveLength(1 + CheckId.options.length + 4)

    expect(await figures()).toEqual(before)
    expect((await testsOf(rest, place)).map(({ callId }) => callId)).toEqual([tested.callId])
    const { body: lastTests } = await rest('GET', `/connections/${connectionId}/last-tests`)
    expect(lastTests).toMatchObject({ tests: [{ status: 403, ok: false }] })

    const records = await Promise.all(checks.map(({ callId }) => rest('GET', `/calls/${callId}`)))
    for (const { body } of records) expect(body).toMatchObject({ source: 'check', actionId, status: 403 })
    const secrets = { signingSecret, oldSecret, key: 'sk-canary-0815-of-the-check' }
    const texts = { answer: answer.text, records: records.map(({ text }) => text).join('\n') }
    expectNowhere(new Map(Object.entries(secrets)), new Map(Object.entries(texts)))
  })

  test('sends no more once nothing can be sent', async () => {
    const { rest, connection, system } = await withSystem()
    const headers = { 'X-Key': '{{NOT_SET}}' }
    const { connectionId } = connection
    const { actionId } = await createAction(rest, connectionId, {
      name: 'Unset',
      method: 'POST',
      parameters,
      headers,
    })
    const { verdict, checks } = await check(rest, { connectionId, actionId }, { arguments: given })
    expect(verdict).toBe('look')
    const refusals = checks.filter(({ reason }) => reason !== 'effects_not_allowed')
    expect(new Set(refusals.map(({ reason }) => reason))).toEqual(new Set(['missing_environment_variable']))
    expect(refusals.map(({ verdict: one }) => one)).toEqual(['look', ...Array(8).fill('skipped')])
    expect(system.requests).toEqual([])
  })

  test('without a base URL skips every check, and names arguments that do not fit', async () => {
    const { rest, place } = await withSystem()
    const path = `/connections/${place.connectionId}/actions/${place.actionId}/check`
    const wrong = await rest('POST', path, { arguments: { order_id: 4 } })
    expect([wrong.status, errorCode(wrong), issuePaths(wrong)]).toEqual([
      400,
      'invalid_arguments',
      ['amount', 'order_id'],
    ])
    const unknown = await rest('POST', path, { arguments: given, checks: ['refused_never'] })
    expect([unknown.status, errorCode(unknown), issuePaths(unknown)]).toEqual([
      400,
      'invalid_input',
      ['checks.0'],
    ])

    await rest('PATCH', `/connections/${place.connectionId}`, { baseUrl: null })
    const { checks } = await check(rest, place, { arguments: given })
    expect(checks.map(({ id, verdict, reason }) => [id, verdict, reason])).toEqual(
      CheckId.options.map(id => [id, 'skipped', 'no_base_url']),
    )
  })
})
