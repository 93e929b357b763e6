import { expect, test } from 'vitest'
import { z } from 'zod'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection } from '../support/rest-client.ts'
import { sharedService, startService } from '../support/service-fixture.ts'

const cleanService = sharedService()
const trigger = { type: 'external.event' }

test('a key with a dot is suggested in brackets, known when it is saved, and read when it runs', async () => {
  const { rest } = await cleanService()
  const system = await startExternalSystem()
  const { connectionId } = await createConnection(rest, { persistEvents: true })
  const samplePayload = { fields: { 'context.text': 'v', 'say "hi"': 1 }, 'odd key': 2 }
  const type = await rest('POST', `/connections/${connectionId}/event-types`, {
    eventName: 'a',
    samplePayload,
  })
  const { variables } = z.object({ variables: z.array(z.string()) }).parse(type.body)
  expect(variables).toEqual(['fields["context.text"]', 'fields["say \\"hi\\""]', '["odd key"]'])
  const [text, quoted, top] = variables
  const created = await rest('POST', '/workflows', {
    name: 'W',
    trigger: { ...trigger, connectionId, eventName: 'a' },
    steps: [
      { key: 'tell', type: 'notify', message: `{{${text}}} {{${quoted}}} {{ ${top} }}` },
      {
        ...{
          key: 'send',
          type: 'http',
          method: 'POST',
          url: `${system.url}/{{ ${top} }}/{{${text}}}?q={{${quoted}}}`,
        },
        headers: { A: `{{${text}}}` },
        body: { a: `{{${quoted}}}`, b: `<{{${text}}}>` },
      },
    ],
  })
  const { workflowId, issues } = CheckedWorkflow.parse(created.body)
  expect(issues).toEqual([])
  const tested = await rest('POST', `/workflows/${workflowId}/test`, { payload: samplePayload })
  expect(RunDetails.parse(tested.body)).toMatchObject({
    status: 'succeeded',
    steps: [{ output: { message: 'v 1 2' } }, {}],
  })
  expect(system.requests).toMatchObject([{ url: '/2/v?q=1', headers: { a: 'v' }, body: '{"a":1,"b":"<v>"}' }])
})

test('a stored workflow with text in double braces that is not a variable opens, can be changed, and fails at that step', async () => {
  const fixture = await startService()
  const { rest } = fixture
  const system = await startExternalSystem()
  const step = {
    key: 'send',
    type: 'http',
    method: 'POST',
    url: `${system.url}/in`,
    body: 'Paid {{total | round}}',
  }
  const tell = { key: 'tell', type: 'notify', message: 'Sent' }
  const { body } = await rest('POST', '/workflows', { name: 'W', trigger, steps: [step, tell] })
  const { workflowId, issues } = CheckedWorkflow.parse(body)
  const issue = { stepKey: 'send', path: 'steps.0.body', code: 'invalid_variable', severity: 'error' }
  expect(issues).toMatchObject([{ ...issue, message: expect.stringContaining('{{total | round}}') }])
  await fixture.restart()
  const change = (fields: object) => rest('PATCH', `/workflows/${workflowId}`, fields)
  expect((await change({ name: 'X' })).body).toMatchObject({ name: 'X', issues: [issue] })
  const run = async () =>
    RunDetails.parse((await rest('POST', `/workflows/${workflowId}/test`, { payload: { total: 1 } })).body)
  const error = { code: 'invalid_variable', message: expect.stringContaining('{{total | round}}') }
  expect(await run()).toMatchObject({ status: 'failed', error, steps: [{ key: 'send' }] })
  await change({ steps: [{ ...step, onFailure: 'continue' }, tell] })
  expect(await run()).toMatchObject({
    status: 'succeeded',
    steps: [
      { key: 'send', attempts: [{ error }] },
      { key: 'tell', status: 'succeeded' },
    ],
  })
  expect(system.requests).toEqual([])
})

test('an import says which text in double braces is not a variable', async () => {
  const { rest } = await cleanService()
  const steps = [{ key: 'tell', type: 'notify', message: 'Paid {{total | round}}' }]
  const { status, body } = await rest('POST', '/workflows/import', {
    workflow: { name: 'W', trigger, steps },
  })
  expect([status, body]).toMatchObject([
    201,
    {
      workflow: { issues: [{ stepKey: 'tell', path: 'steps.0.message', code: 'invalid_variable' }] },
      warnings: [],
    },
  ])
})
