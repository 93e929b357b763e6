import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createConnection, errorCode, issuePaths, type Rest } from '../support/rest-client.ts'
import { sharedService, startOfTests } from '../support/service-fixture.ts'

const cleanService = sharedService()

const WithId = z.object({ workspaceId: z.string() })
const trigger = { type: 'external.event', connectionId: null, eventName: null }

async function createWorkspace(rest: Rest, fields: object = { name: 'Team' }): Promise<string> {
  const answer = await rest('POST', '/workspaces', fields)
  expect(answer.status).toBe(201)
  return WithId.parse(answer.body).workspaceId
}

describe('workspaces', () => {
  test('the default one is always there', async () => {
    const { rest } = await cleanService()
    const { status, body } = await rest('GET', '/workspaces')
    expect(status).toBe(200)
    expect(body).toEqual([
      {
        workspaceId: 'default',
        name: expect.any(String),
        publicBaseUrl: null,
        webhook: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ])
  })

  test('one is created, listed, changed field by field, and deleted', async () => {
    const { rest, clock } = await cleanService()
    const created = await rest('POST', '/workspaces', {
      name: '  Team ',
      publicBaseUrl: 'https://hooks.example.com/in//',
    })
    const now = new Date(startOfTests).toISOString()
    const workspace = {
      workspaceId: expect.stringMatching(/^ws_[\w-]{21}$/),
      name: 'Team',
      publicBaseUrl: 'https://hooks.example.com/in',
      webhook: null,
      createdAt: now,
      updatedAt: now,
    }
    expect(created).toMatchObject({ status: 201, body: workspace })
    const { workspaceId } = WithId.parse(created.body)
    const path = `/workspaces/${workspaceId}`

    clock.now += 1000
    const updatedAt = new Date(clock.now).toISOString()
    const renamed = await rest('PATCH', path, { name: 'Crew' })
    expect(renamed).toMatchObject({ status: 200, body: { ...workspace, name: 'Crew', updatedAt } })
    const withoutUrl = await rest('PATCH', path, { publicBaseUrl: null })
    const later = new Date(clock.now + 1).toISOString()
    expect(withoutUrl.body).toEqual({ ...workspace, name: 'Crew', publicBaseUrl: null, updatedAt: later })
    expect((await rest('GET', '/workspaces')).body).toEqual([expect.anything(), withoutUrl.body])

    expect(await rest('DELETE', path)).toMatchObject({ status: 200, body: { deleted: 1 } })
    expect(await rest('DELETE', path)).toMatchObject({ status: 404, body: { code: 'workspace_not_found' } })
  })

  test('one that has connections or workflows, and the default one, are not deleted', async () => {
    const { rest } = await cleanService()
    const workspaceId = await createWorkspace(rest)
    const refused = {
      status: 409,
      body: { code: 'workspace_not_empty', message: expect.stringContaining('connections or workflows') },
    }
    const { connectionId } = await createConnection(rest, { workspaceId })
    expect(await rest('DELETE', `/workspaces/${workspaceId}`)).toMatchObject(refused)
    await rest('DELETE', `/connections/${connectionId}`)
    const workflow = await rest('POST', '/workflows', { workspaceId, name: 'Tell', trigger, steps: [] })
    const { workflowId } = z.object({ workflowId: z.string() }).parse(workflow.body)
    expect(await rest('DELETE', `/workspaces/${workspaceId}`)).toMatchObject(refused)
    await rest('DELETE', `/workflows/${workflowId}`)
    expect((await rest('DELETE', `/workspaces/${workspaceId}`)).status).toBe(200)
    const standard = await rest('DELETE', '/workspaces/default')
    expect(standard).toMatchObject({ status: 409, body: { code: 'default_workspace' } })
  })

  test('its public address is the base of the inbound URLs shown', async () => {
    const { rest, listenerUrl } = await cleanService()
    const publicBaseUrl = 'https://hooks.example.com/in'
    const workspaceId = await createWorkspace(rest, { name: 'Team', publicBaseUrl })
    const there = await createConnection(rest, { workspaceId })
    expect(there.credentials.inboundUrl).toBe(
      `${publicBaseUrl}/api/connect/${there.credentials.inboundToken}/events`,
    )
    const elsewhere = await createConnection(rest)
    expect(elsewhere.credentials.inboundUrl).toBe(
      `${listenerUrl}/api/connect/${elsewhere.credentials.inboundToken}/events`,
    )
    await rest('PATCH', `/workspaces/${workspaceId}`, { publicBaseUrl: null })
    const { body } = await rest('GET', `/connections/${there.connectionId}/credentials`)
    expect(body).toMatchObject({
      inboundUrl: `${listenerUrl}/api/connect/${there.credentials.inboundToken}/events`,
    })
  })

  test.each(['ws_unknown', 'nope', 'DEFAULT', '__proto__'])('an unknown one (%s) is 404', async id => {
    const { rest } = await cleanService()
    for (const answer of [
      await rest('PATCH', `/workspaces/${id}`, { name: 'x' }),
      await rest('DELETE', `/workspaces/${id}`),
      await rest('GET', `/connections?workspaceId=${id}`),
      await rest('POST', '/connections', { name: 'x', workspaceId: id }),
    ])
      expect({ status: answer.status, code: errorCode(answer) }).toEqual({
        status: 404,
        code: 'workspace_not_found',
      })
  })

  test('wrong fields are all named', async () => {
    const { rest } = await cleanService()
    for (const answer of [
      await rest('POST', '/workspaces', { name: ' ', publicBaseUrl: 'nowhere' }),
      await rest('PATCH', '/workspaces/default', { name: 7, publicBaseUrl: 'https://x.example/?q' }),
    ]) {
      expect(answer.status).toBe(400)
      expect(errorCode(answer)).toBe('invalid_input')
      expect(issuePaths(answer)).toEqual(['name', 'publicBaseUrl'])
    }
  })
})
