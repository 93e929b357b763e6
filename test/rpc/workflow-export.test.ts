import { expect, test } from 'vitest'
import { z } from 'zod'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { createConnection } from '../support/rest-client.ts'
import { startService } from '../support/service-fixture.ts'

const Imported = z.object({ workflow: CheckedWorkflow, warnings: z.array(z.object({ path: z.string() })) })

test('a workflow is exported and imported again over REST, as the body or as text', async () => {
  const { rest } = await startService()
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
