import { describe, expect, test } from 'vitest'
import { AllCredentials } from '#shared/model/connection.ts'
import { createConnection, errorCode, issuePaths } from '../support/rest-client.ts'
import { sharedService, startOfTests, startService } from '../support/service-fixture.ts'

const cleanService = sharedService()
const hourMs = 60 * 60 * 1000
const github = { scheme: 'github', eventName: { header: 'x-github-event' }, data: 'body' }

describe('the sender of a connection', () => {
  test('is chosen when it is created or changed, with the defaults of its scheme', async () => {
    const { rest } = await cleanService()
    const created = await createConnection(rest, { sender: { scheme: 'github' } })
    expect(created).toMatchObject({ sender: github, hasSenderSecret: false })
    const path = `/connections/${created.connectionId}`
    const sender = { scheme: 'stripe', data: { path: 'data.object' } }
    expect((await rest('PATCH', path, { sender })).body).toMatchObject({
      sender: { ...sender, eventName: { path: 'type' } },
    })
    await rest('PATCH', path, { name: 'Other' })
    expect((await rest('GET', path)).body).toMatchObject({ name: 'Other', sender })
  })

  test.each([
    [
      { scheme: 'template' },
      ['sender.encoding', 'sender.eventName', 'sender.signatureHeader', 'sender.signed'],
    ],
    [{ scheme: 'gitlab' }, ['sender.scheme']],
    [{ scheme: 'github', secret: 'x' }, ['sender.secret']],
    [
      {
        ...{ scheme: 'template', signatureHeader: 'x-s', encoding: 'hex', signed: '{{timestamp}}' },
        ...{ timestampHeader: 'x-t', eventName: { path: 'a' } },
      },
      ['sender.signed'],
    ],
  ])('is refused as %j', async (sender, paths) => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest)
    const answer = await rest('PATCH', `/connections/${connectionId}`, { sender })
    expect(answer.status).toBe(400)
    expect(issuePaths(answer).sort()).toEqual(paths)
  })

  test('is exported and imported without its secret, and the preview says so', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest, { sender: { scheme: 'github' } })
    const path = `/connections/${connectionId}`
    await rest('PUT', `${path}/sender/secret`, { secret: 'of the sender' })
    const { text } = await rest('GET', `${path}/export`)
    expect(text).not.toContain('of the sender')
    const document = text.replace('"Shop"', '"Second"')
    const preview = await rest('POST', '/import/preview', { text: document })
    expect(preview.body).toMatchObject({
      connection: { sender: github },
      issues: [{ path: 'connection.sender', severity: 'warning' }],
    })
    const imported = await rest('POST', '/import', { text: document })
    expect(Object(imported.body).connectionId).not.toBe(connectionId)
    expect((await rest('GET', `/connections/${Object(imported.body).connectionId}`)).body).toMatchObject({
      ...{ name: 'Second', sender: github, hasSenderSecret: false },
    })
    const withSecret = JSON.stringify({
      version: 1,
      connection: { name: 'x', sender: { scheme: 'github', secret: 'x' } },
    })
    expect((await rest('POST', '/import', { text: withSecret })).body).toMatchObject({
      code: 'invalid_document',
      data: { issues: [{}, { path: 'connection.sender.secret', severity: 'error' }] },
    })
  })
})

describe('the secret of a sender', () => {
  test('is in the credentials read alone, and survives a restart', async () => {
    const service = await startService()
    const { rest } = service
    const { connectionId } = await createConnection(rest, { sender: { scheme: 'github' } })
    const path = `/connections/${connectionId}`
    const set = await rest('PUT', `${path}/sender/secret`, { secret: 'first-of-the-sender', graceHours: 1 })
    expect(set).toMatchObject({ status: 200, body: { hasSenderSecret: true, oldSenderSecretsExpireAt: [] } })
    const replaced = await rest('PUT', `${path}/sender/secret`, {
      secret: 'second-of-the-sender',
      graceHours: 1,
    })
    expect(replaced.body).toMatchObject({
      hasSenderSecret: true,
      oldSenderSecretsExpireAt: [new Date(startOfTests + hourMs).toISOString()],
    })
    expect(set.text + replaced.text).not.toContain('of-the-sender')
    await service.restart()
    const read = AllCredentials.parse((await rest('GET', `${path}/credentials`)).body)
    expect(read.senderSecret).toBe('second-of-the-sender')
    const { senderSecret: _, ...others } = read
    expect((await rest('POST', `${path}/rotate-secret`)).body).toMatchObject({
      ...others,
      signingSecret: expect.any(String),
    })
    expect((await rest('POST', `${path}/rotate-secret`)).text).not.toContain('of-the-sender')
  })

  test('is dropped with the scheme', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest, { sender: { scheme: 'github' } })
    const path = `/connections/${connectionId}`
    await rest('PUT', `${path}/sender/secret`, { secret: 'a secret' })
    await rest('PATCH', path, { sender: { scheme: 'custom-connection' } })
    expect((await rest('GET', path)).body).toMatchObject({
      ...{ sender: { scheme: 'custom-connection' }, hasSenderSecret: false },
    })
    await rest('PATCH', path, { sender: { scheme: 'github' } })
    expect((await rest('GET', `${path}/credentials`)).text).not.toContain('a secret')
  })

  test('has at most three before it within their grace periods, and changes nothing if it is the same', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest, { sender: { scheme: 'github' } })
    const path = `/connections/${connectionId}/sender/secret`
    const put = (secret: string, graceHours = 168) => rest('PUT', path, { secret, graceHours })
    for (const secret of ['1', '2', '3', '4', '4', '4']) expect((await put(secret)).status).toBe(200)
    expect(errorCode(await put('5'))).toBe('too_many_old_secrets')
    expect((await put('3')).body).toMatchObject({ oldSenderSecretsExpireAt: { length: 3 } })
    expect((await put('5', 0)).body).toMatchObject({ oldSenderSecretsExpireAt: [] })
  })

  test.each([
    ['standard-webhooks', 'not base64!'],
    ['standard-webhooks', 'whpk_AAAA'],
    ['standard-webhooks', 'whsec_'],
    ['github', ''],
    ['github', ' a'],
    ['custom-connection', 'a'],
  ])('of the scheme %s cannot be %j', async (scheme, secret) => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest, { sender: { scheme } })
    const answer = await rest('PUT', `/connections/${connectionId}/sender/secret`, { secret })
    expect(answer.status).toBe(400)
    expect(issuePaths(answer)).toEqual(['secret'])
  })
})
