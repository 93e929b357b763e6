import { describe, expect, test } from 'vitest'
import { createConnection } from '../support/rest-client.ts'
import { postInbound, sharedService, startOfTests } from '../support/service-fixture.ts'

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

  test('with an unknown token are listed for the service as a whole', async () => {
    const { rest, listenerUrl } = await cleanService()
    const { connectionId } = await createConnection(rest)
    const inboundUrl = `${listenerUrl}/api/connect/unknown/events`
    await postInbound({ inboundUrl, signingSecret: 'whsec_any' }, '{"event":"x"}')
    expect((await rest('GET', '/attempts')).body).toMatchObject({ attempts: [{ code: 'unknown_token' }] })
    expect((await rest('GET', `/connections/${connectionId}/attempts`)).body).toEqual({ attempts: [] })
  })
})
