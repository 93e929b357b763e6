import { describe, expect, test } from 'vitest'
import { OccurrencePage } from '#shared/model/activity.ts'
import { createConnection, errorCode } from '../support/rest-client.ts'
import { postInbound, sharedService, startOfTests, startService } from '../support/service-fixture.ts'

const cleanService = sharedService()

describe('refused requests', () => {
  test('of a connection are listed newest first, with what the usual mistake was', async () => {
    const { rest } = await cleanService()
    const { connectionId, credentials } = await createConnection(rest)
    const path = `/connections/${connectionId}/attempts`
    expect((await rest('GET', path)).body).toEqual({ attempts: [] })
    await postInbound(credentials, '{"event":""}')
    await postInbound({ ...credentials, signingSecret: `${credentials.signingSecret}\n` }, '{"event":"x"}')
    await expect
      .poll(async () => (await rest('GET', path)).body)
      .toEqual({
        attempts: [
          {
            attemptId: expect.stringMatching(/^att_/),
            at: new Date(startOfTests).toISOString(),
            code: 'invalid_signature',
            message: expect.any(String),
            diagnosis: { code: 'secret_with_whitespace', message: expect.any(String) },
            headers: expect.arrayContaining([['x-service-timestamp', String(startOfTests)]]),
            bodyText: '{"event":"x"}',
          },
          {
            attemptId: expect.stringMatching(/^att_/),
            at: new Date(startOfTests).toISOString(),
            code: 'invalid_event',
            message: expect.any(String),
            diagnosis: null,
            headers: expect.anything(),
            bodyText: '{"event":""}',
          },
        ],
      })
  })

  test('are read one by one, with the diagnosis that a flood left out, also after a restart', async () => {
    const fixture = await startService()
    const { rest } = fixture
    const { connectionId, credentials } = await createConnection(rest, { persistEvents: true })
    const other = await createConnection(rest)
    const wrong = { ...credentials, signingSecret: `${credentials.signingSecret}\n` }
    for (let n = 0; n < 12; n++) await postInbound(wrong, `{"event":"x","data":{"n":${n}}}`)
    const items = OccurrencePage.parse((await rest('GET', '/activity/list')).body).items
    const ids = items.map(({ id }) => `att_${id}`)
    const read = async (id: string | undefined) =>
      (await rest('GET', `/connections/${connectionId}/attempts/${id}`)).body
    for (const [index, attemptId] of ids.entries())
      expect(await read(attemptId)).toMatchObject({
        attemptId,
        code: 'invalid_signature',
        diagnosis: { code: 'secret_with_whitespace' },
        bodyText: `{"event":"x","data":{"n":${11 - index}}}`,
        headers: expect.arrayContaining([['x-service-timestamp', String(startOfTests)]]),
      })
    const before = await read(ids[0])
    await fixture.restart()
    expect(await read(ids[0])).toEqual(before)
    for (const path of [
      `${connectionId}/attempts/att_00000000000`,
      `${connectionId}/attempts/nonsense`,
      `${other.connectionId}/attempts/${ids[0]}`,
    ]) {
      const answer = await rest('GET', `/connections/${path}`)
      expect([path, answer.status, errorCode(answer)]).toEqual([path, 404, 'attempt_not_found'])
    }
  })

  test('with an unknown token are listed for the service as a whole', async () => {
    const { rest, listenerUrl } = await cleanService()
    const { connectionId } = await createConnection(rest)
    const inboundUrl = `${listenerUrl}/api/connect/unknown/events`
    await postInbound({ inboundUrl, signingSecret: 'whsec_any' }, '{"event":"x"}')
    expect((await rest('GET', '/attempts')).body).toMatchObject({ attempts: [{ code: 'unknown_token' }] })
    expect((await rest('GET', `/connections/${connectionId}/attempts`)).body).toEqual({ attempts: [] })
  })
})
