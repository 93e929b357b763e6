import { expect, test } from 'vitest'
import { z } from 'zod'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { createConnection } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()

const Imported = z.object({ workflow: CheckedWorkflow, warnings: z.array(z.object({ path: z.string() })) })

test('conditions that are nested too deep are refused in a new, a changed and an imported workflow', async () => {
  const { rest } = await cleanService()
  const trigger = { type: 'external.event' }
  const created = await rest('POST', '/workflows', { name: 'Deep', trigger })
  const { workflowId } = CheckedWorkflow.parse(created.body)
  for (const levels of [21, 480]) {
    let when: object = { value: 'x', operator: 'exists' }
    for (let level = 0; level < levels; level++) when = { any: [when] }
    const steps = [{ key: 'b', type: 'branch', cases: [{ when, steps: [] }] }]
    const path = `steps.0.cases.0.when${'.any.0'.repeat(20)}.any`
    const issue = { code: 'nested_too_deep', message: 'Conditions are nested at most 20 levels deep.' }
    const refused = { status: 400, body: { code: 'invalid_input', data: { issues: [{ path, ...issue }] } } }
    expect(await rest('POST', '/workflows', { name: 'Deep', trigger, steps })).toMatchObject(refused)
    expect(await rest('PATCH', `/workflows/${workflowId}`, { steps })).toMatchObject(refused)
    const document = {
      version: 1,
      workflow: { name: 'Deep', trigger: { ...trigger, connection: null }, steps },
    }
    for (const body of [document, { text: JSON.stringify(document) }])
      expect(await rest('POST', '/workflows/import', body)).toMatchObject({
        status: 400,
        body: { code: 'invalid_document', data: { issues: [issue] } },
      })
  }
})

test('a workflow is exported and imported again over REST, as the body or as text', async () => {
  const { rest } = await cleanService()
  const { connectionId } = await createConnection(rest, { name: 'Orders' })
  const created = CheckedWorkflow.parse(
    (
      await rest('POST', '/workflows', {
        name: 'Tell',
        trigger: { type: 'external.event', connectionId, eventName: 'order.paid' },
        steps: [{ key: 'tell', type: 'notify', message: 'Paid {{order_id}}' }],
      })
    ).body,
  )
  const { body: document } = await rest('GET', `/workflows/${created.workflowId}/export`)
  expect(document).toMatchObject({
    version: 1,
    workflow: { name: 'Tell', trigger: { connection: 'Orders', eventName: 'order.paid' } },
  })
  const Document = z.record(z.string(), z.unknown())
  for (const body of [Document.parse(document), { text: JSON.stringify(document) }]) {
    const answer = await rest('POST', '/workflows/import', body)
    expect(answer.status).toBe(201)
    const { workflow, warnings } = Imported.parse(answer.body)
    const { workflowId, createdAt, updatedAt, ...same } = workflow
    expect(workflowId).not.toBe(created.workflowId)
    expect({ ...created, ...same }).toEqual(created)
    expect(warnings).toEqual([])
  }
  const { workspaceId } = z
    .object({ workspaceId: z.string() })
    .parse((await rest('POST', '/workspaces', { name: 'Other' })).body)
  const moved = Imported.parse(
    (await rest('POST', '/workflows/import', { ...Document.parse(document), workspaceId })).body,
  )
  expect(moved.workflow).toMatchObject({
    ...{ workspaceId, enabled: false },
    issues: [{ code: 'unknown_connection', path: 'trigger.connectionId' }],
  })
  expect(moved.warnings).toMatchObject([{ path: 'workflow.trigger.connection' }])
  expect(await rest('POST', '/workflows/import', { text: '{' })).toMatchObject({
    status: 400,
    body: { code: 'invalid_document' },
  })
  expect(
    await rest('POST', '/workflows/import', { ...Document.parse(document), workspaceId: 'ws_x' }),
  ).toMatchObject({
    body: { code: 'workspace_not_found' },
  })
})
