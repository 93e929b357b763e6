import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Credentials } from '#shared/model/connection.ts'
import { createConnection, errorCode, issuePaths } from '../support/rest-client.ts'
import { postInbound, sharedService, startOfTests } from '../support/service-fixture.ts'

const cleanService = sharedService()

const hourMs = 60 * 60 * 1000
const body = '{"event":"order.created"}'

describe('the signing secret', () => {
  test.each([1, 24, 168])(
    'is still accepted for %i hours after a rotation, marked, and refused then',
    async graceHours => {
      const { rest, clock } = await cleanService()
      const { connectionId, credentials: old } = await createConnection(rest)
      const path = `/connections/${connectionId}`
      const rotated = await rest('POST', `${path}/rotate-secret`, { graceHours })
      expect(rotated.status).toBe(200)
      expect(rotated.body).toEqual({ ...old, signingSecret: expect.stringMatching(/^whsec_[\w-]{43}$/) })
      const fresh = Credentials.parse(rotated.body)
      expect(fresh.signingSecret).not.toBe(old.signingSecret)
      expect((await rest('GET', `${path}/credentials`)).body).toEqual(fresh)
      const expiresAt = startOfTests + graceHours * hourMs
      expect((await rest('GET', path)).body).toMatchObject({
        previousSecretExpiresAt: new Date(expiresAt).toISOString(),
      })

      clock.now = expiresAt - 1
      expect((await postInbound(old, body, clock.now)).status).toBe(200)
      expect((await postInbound(fresh, body, clock.now)).status).toBe(200)
      clock.now = expiresAt
      expect(await postInbound(old, body, clock.now)).toMatchObject({
        status: 401,
        body: { ok: false, error: 'invalid_signature' },
      })
      expect((await postInbound(fresh, body, clock.now)).status).toBe(200)
      expect((await rest('GET', path)).body).toMatchObject({ previousSecretExpiresAt: null })
    },
  )

  test('is refused at once without a grace period, and the sender can be told why', async () => {
    const { rest } = await cleanService()
    const { connectionId, credentials: old } = await createConnection(rest)
    const path = `/connections/${connectionId}`
    await rest('POST', `${path}/rotate-secret`, { graceHours: 0 })
    expect((await rest('GET', path)).body).toMatchObject({ previousSecretExpiresAt: null })
    expect((await postInbound(old, body)).status).toBe(401)
    await expect
      .poll(async () => (await rest('GET', `${path}/attempts`)).body)
      .toMatchObject({ attempts: [{ code: 'invalid_signature', diagnosis: { code: 'old_secret' } }] })
  })

  test('is accepted beside two later ones, and the events and the overview say which one was used', async () => {
    const { rest } = await cleanService()
    const { connectionId, credentials: first } = await createConnection(rest)
    const path = `/connections/${connectionId}`
    await rest('PATCH', path, { persistEvents: true })
    const rotate = (graceHours = 168) => rest('POST', `${path}/rotate-secret`, { graceHours })
    const second = Credentials.parse((await rotate()).body)
    const third = Credentials.parse((await rotate()).body)
    const fourth = Credentials.parse((await rotate()).body)
    for (const [at, one] of [first, second, third, fourth].entries())
      expect((await postInbound(one, body, startOfTests + at)).status).toBe(200)
    expect((await rest('GET', `${path}/events`)).body).toMatchObject({
      events: [{ oldSecret: false }, { oldSecret: true }, { oldSecret: true }, { oldSecret: true }],
    })
    expect((await rest('GET', '/statistics')).body).toMatchObject({
      connections: [{ accepted: 4, oldSecret: { count: 3, lastAt: expect.any(String) } }],
    })
    expect(await rotate()).toMatchObject({ status: 409, body: { code: 'too_many_old_secrets' } })
    expect((await rotate(0)).status).toBe(200)
    for (const one of [first, second, third, fourth]) expect((await postInbound(one, body)).status).toBe(401)
    await expect
      .poll(async () => (await rest('GET', `${path}/attempts`)).body)
      .toMatchObject({ attempts: new Array(4).fill({ diagnosis: { code: 'old_secret' } }) })
  })

  test.each([{}, undefined])('has 24 hours of grace when nothing is asked (%o)', async nothing => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest)
    expect((await rest('POST', `/connections/${connectionId}/rotate-secret`, nothing)).status).toBe(200)
    expect((await rest('GET', `/connections/${connectionId}`)).body).toMatchObject({
      previousSecretExpiresAt: new Date(startOfTests + 24 * hourMs).toISOString(),
    })
  })

  test.each([2, -1, '24', null, 1.5])('has no grace period of %o hours', async graceHours => {
    const { rest } = await cleanService()
    const { connectionId, credentials } = await createConnection(rest)
    const answer = await rest('POST', `/connections/${connectionId}/rotate-secret`, { graceHours })
    expect(answer.status).toBe(400)
    expect(errorCode(answer)).toBe('invalid_input')
    expect(issuePaths(answer)).toEqual(['graceHours'])
    expect((await rest('GET', `/connections/${connectionId}/credentials`)).body).toEqual(credentials)
  })
})

describe('the inbound token', () => {
  test.each([{}, undefined])('is replaced at once (body %o); the old URL is unknown then', async nothing => {
    const { rest } = await cleanService()
    const { connectionId, credentials: old } = await createConnection(rest)
    const answer = await rest('POST', `/connections/${connectionId}/regenerate-token`, nothing)
    expect(answer.status).toBe(200)
    const fresh = z.strictObject(Credentials.shape).parse(answer.body)
    expect(fresh.signingSecret).toBe(old.signingSecret)
    expect(fresh.inboundToken).not.toBe(old.inboundToken)
    expect(fresh.inboundUrl).toContain(fresh.inboundToken)
    expect(await postInbound(old, body)).toMatchObject({ status: 404, body: { error: 'unknown_token' } })
    expect((await postInbound(fresh, body)).status).toBe(200)
  })
})
