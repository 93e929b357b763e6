import { expect } from 'vitest'
import { Case } from '#shared/model/case.ts'
import { createAction } from '../support/actions.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection } from '../support/rest-client.ts'
import { sharedNodes, test } from './open-nodes.ts'

const takeNodes = sharedNodes()

test('every node has the cases of the others at once, and their newest results', async () => {
  const [a, b] = await takeNodes()
  const system = await startExternalSystem()
  const { connectionId } = await createConnection(a.rest, { baseUrl: system.url })
  const { actionId } = await createAction(a.rest, connectionId)
  const path = `/connections/${connectionId}/actions/${actionId}/cases`
  const fields = { name: 'An order', expect: { status: '2xx' } }
  const { caseId } = Case.parse((await a.rest('POST', path, fields)).body)
  const lastOn = async (node: typeof a) => Case.array().parse((await node.rest('GET', path)).body)[0]?.last
  expect(await lastOn(b)).toBeNull()
  for (const [node, other] of [
    [b, a],
    [a, b],
    [b, a],
  ] as const) {
    expect((await node.rest('POST', `${path}/${caseId}/run`)).body).toMatchObject({ ok: true })
    expect(await lastOn(other)).toEqual(await lastOn(node))
    expect(await lastOn(other)).toMatchObject({ ok: true, isOld: false })
    await node.rest('PATCH', `${path}/${caseId}`, { expect: { status: null } })
    expect(await lastOn(other)).toMatchObject({ isOld: true })
  }
  await b.rest('DELETE', `${path}/${caseId}`)
  expect((await a.rest('GET', path)).body).toEqual([])
})
