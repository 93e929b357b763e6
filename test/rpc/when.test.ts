import { afterEach, expect, test } from 'vitest'
import { maxReadOfTrigger } from '#main/workflows/trigger-condition.ts'
import type { Condition } from '#shared/model/condition.ts'
import { EventPage } from '#shared/model/inbound-event.ts'
import { RunDetails, RunPage } from '#shared/model/run.ts'
import { CheckedWorkflow, maxEventNames, maxTriggerConditions } from '#shared/model/workflow.ts'
import { eventually } from '../support/eventually.ts'
import { createConnection, issuePaths } from '../support/rest-client.ts'
import { openService, postInbound, startOfTests } from '../support/service-fixture.ts'

let close: (() => Promise<void>) | undefined
afterEach(async () => {
  await close?.()
  close = undefined
})

const opened: Condition = { value: '{{action}}', operator: 'equals', operand: 'opened' }
const stop = { key: 'end', type: 'stop', outcome: 'succeeded' }

/** @param trigger fields of the trigger of the only workflow. */
async function open(trigger: object, fields: object = {}, connectionFields: object = {}) {
  const service = await openService()
  close = () => service.close()
  const { rest } = service
  const connection = await createConnection(rest, { persistEvents: true, ...connectionFields })
  const { connectionId } = connection
  const created = await rest('POST', '/workflows', {
    ...{ name: 'W', steps: [stop], trigger: { type: 'external.event', connectionId, ...trigger }, ...fields },
  })
  const { workflowId } = CheckedWorkflow.parse(created.body)
  let sent = 0
  return {
    ...{ rest, connection, connectionId, workflowId },
    post: async (event: string, data: object) => {
      const answer = await postInbound(
        connection.credentials,
        JSON.stringify({ event, data }),
        startOfTests + ++sent,
      )
      expect(answer.status).toBe(200)
    },
    runs: async () => RunPage.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body).runs,
    test: async (body: object) =>
      RunDetails.parse((await rest('POST', `/workflows/${workflowId}/test`, body)).body),
    events: async () =>
      EventPage.parse((await rest('GET', `/connections/${connectionId}/events?limit=100`)).body).events,
  }
}

test('fifteen kinds of issues start one run, also by a replay, and a test says whether its event fits', async () => {
  const { rest, post, runs, test, events, connectionId } = await open({ eventName: 'issues', when: opened })
  const actions = ['opened', 'edited', 'closed', 'reopened', 'assigned', 'unassigned', 'labeled', 'unlabeled']
  actions.push('locked', 'unlocked', 'transferred', 'pinned', 'unpinned', 'milestoned', 'deleted')
  for (const action of actions) await post('issues', { action, issue: { body: 'x'.repeat(20_000) } })
  expect(await runs()).toMatchObject([{ eventName: 'issues', status: 'succeeded', fits: null }])

  const stored = await events()
  expect(stored).toHaveLength(actions.length)
  const [last, first] = [stored[0]?.eventId, stored.at(-1)?.eventId]
  for (const eventId of [last, first])
    await rest('POST', `/connections/${connectionId}/events/${eventId}/replay`)
  expect((await runs()).map(({ replayOf }) => replayOf)).toEqual([first, null])

  expect(await test({ eventId: first })).toMatchObject({ fits: true, status: 'succeeded' })
  const other = await test({ eventId: last })
  expect([other.fits, other.status, other.steps.length]).toEqual([false, 'succeeded', 1])
  expect(await test({ payload: { action: 'opened' } })).toMatchObject({ eventName: 'issues', fits: true })
})

test('a trigger takes several names and prefixes, each event once', async () => {
  const eventNames = ['issues', 'issue_comment.*', 'issue_comment.created']
  const { rest, post, runs, workflowId } = await open({ eventNames })
  for (const name of ['issues', 'issue_comment.created', 'issue_comment.edited', 'issue_comment', 'push'])
    await post(name, {})
  expect((await runs()).map(({ eventName }) => eventName)).toEqual([
    ...['issue_comment.edited', 'issue_comment.created', 'issues'],
  ])
  const exported = await rest('GET', `/workflows/${workflowId}/export`)
  expect(exported.body).toMatchObject({ workflow: { trigger: { eventName: null, eventNames } } })
  const imported = await rest('POST', '/workflows/import', exported.body)
  expect(imported.body).toMatchObject({ workflow: { trigger: { eventNames } }, warnings: [] })
})

test('an event that does not fit takes no key', async () => {
  const { post, runs } = await open({ when: opened, once: { key: '{{id}}', hours: 1 } })
  await post('issues', { action: 'edited', id: 1 })
  await post('issues', { action: 'opened', id: 1 })
  await post('issues', { action: 'opened', id: 1 })
  expect(await runs()).toHaveLength(1)
})

test.each([true, false])(
  'what is too much work at once is stored and decides first, with its headers (stored events: %s)',
  async persistEvents => {
    const when = {
      all: [
        { value: '{{text}}', operator: 'contains', operand: 'opened' },
        { value: '{{headers.content-type}}', operator: 'equals', operand: 'application/json' },
      ],
    }
    const { rest, post, runs, test } = await open({ when }, {}, { persistEvents })
    const text = 'x'.repeat(maxReadOfTrigger)
    await post('issues', { text, last: 'closed' })
    await post('issues', { text: `${text}opened` })
    await post('issues', { text: 'closed' })
    await eventually(async () =>
      expect((await runs()).map(({ status }) => status)).toEqual(['succeeded', 'cancelled']),
    )
    const [fitting, other] = await runs()
    expect(other?.error?.code).toBe('does_not_fit')
    const { payload, steps } = RunDetails.parse((await rest('GET', `/runs/${fitting?.runId}`)).body)
    expect(Object.keys(payload ?? {})).toEqual(persistEvents ? ['text', 'eventName', 'connectionId'] : [])
    expect(steps).toHaveLength(1)
    // Nobody has sent these headers.
    expect((await test({ payload: { text: 'opened' } })).fits).toBe(false)
  },
)

test('an event of many workflows starts those that it fits, also when that is too much work at once', async () => {
  const { rest, post, runs, connectionId } = await open({ eventName: 'other' })
  const kinds = ['opened', 'closed', 'long']
  for (let index = 0; index < 51; index++) {
    const operand = kinds[index % 3]
    const when = { value: '{{text}}', operator: operand === 'long' ? 'contains' : 'equals', operand }
    const trigger = { type: 'external.event', connectionId, eventName: 'issues', when }
    await rest('POST', '/workflows', { name: `${operand} ${index}`, steps: [stop], trigger })
  }
  await post('issues', { text: 'opened' })
  await post('issues', { text: `${'x'.repeat(maxReadOfTrigger)}` })
  await post('issues', { text: `long${'x'.repeat(maxReadOfTrigger)}` })
  expect(await runs()).toEqual([])
  const counts = async () => (await rest('GET', '/runs/counts')).body
  await eventually(async () =>
    expect(await counts()).toEqual({
      ...{ succeeded: 34, cancelled: 17, failed: 0 },
      ...{ waiting: 0, running: 0, queued: 0 },
    }),
  )
})

test('a condition that is wrong fails the run of each event, and its test', async () => {
  const when = { value: '{{action | lower}}', operator: 'equals', operand: 'opened' }
  const { post, runs, test, rest, workflowId } = await open({ when })
  const { issues } = CheckedWorkflow.parse((await rest('GET', `/workflows/${workflowId}`)).body)
  expect(issues).toMatchObject([{ code: 'invalid_variable', path: 'trigger.when.value', stepKey: null }])
  await post('issues', {})
  await eventually(async () => expect((await runs()).map(({ status }) => status)).toEqual(['failed']))
  const failed = { status: 'failed', error: { code: 'invalid_variable' }, steps: [] }
  expect((await runs())[0]?.error).toMatchObject(failed.error)
  expect(await test({ payload: {} })).toMatchObject({ ...failed, fits: null })
})

test('a workflow says what is wrong with its trigger', async () => {
  const { rest } = await open({})
  const save = (trigger: object) =>
    rest('POST', '/workflows', { name: 'W', trigger: { type: 'external.event', ...trigger } })
  const many = Array.from({ length: maxTriggerConditions / 2 }, () => ({ any: [opened] }))
  const refused: [object, string][] = [
    [{ eventName: 'issues', eventNames: ['push'] }, 'trigger.eventNames'],
    [{ eventNames: ['push', 'push'] }, 'trigger.eventNames'],
    [{ eventNames: [] }, 'trigger.eventNames'],
    [{ eventNames: Array.from({ length: maxEventNames + 1 }, (_, at) => `n${at}`) }, 'trigger.eventNames'],
    [{ when: { all: many } }, 'trigger.when'],
    [{ when: { ...opened, operand: '{{a}}'.repeat(500) } }, 'trigger.when'],
    [{ when: { value: '{{a}}', operator: 'equals' } }, 'trigger.when.operand'],
    [{ when: { all: [] } }, 'trigger.when.all'],
  ]
  for (const [trigger, path] of refused)
    expect([trigger, issuePaths(await save(trigger))]).toEqual([trigger, [path]])
  const issuesWith = async (trigger: object) =>
    CheckedWorkflow.parse((await save(trigger)).body).issues.map(({ code, path }) => [code, path])
  const issuesOf = (value: string) => issuesWith({ when: { ...opened, value } })
  expect(await issuesWith({ eventName: '*' })).toEqual([['unclear_name', 'trigger.eventName']])
  expect(await issuesWith({ eventNames: ['order.*', '*'] })).toEqual([
    ['unclear_name', 'trigger.eventNames.1'],
  ])
  const at = 'trigger.when.value'
  expect(await issuesOf('{{steps.first.id}}')).toEqual([['unknown_step', at]])
  expect(await issuesOf('{{headers.X-GitHub-Event}}')).toEqual([['unknown_variable', at]])
  expect(await issuesOf('{{headers.x-github-event}}')).toEqual([])
})
