import { describe, expect, test } from 'vitest'
import { verifySender } from '#main/inbound/verify-sender.ts'
import { warningsOf } from '#main/rpc/connections.ts'
import { AllCredentials } from '#shared/model/connection.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { hmacHex } from '../signing/sender.ts'
import { recordNamed } from '../support/connection-records.ts'
import { type CreatedConnection, createConnection, errorCode, issuePaths } from '../support/rest-client.ts'
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
    [{ scheme: 'pigeon-post' }, ['sender.scheme']],
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
  test('of another scheme stays until it is replaced, with a warning', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest, { sender: { scheme: 'stripe' } })
    const path = `/connections/${connectionId}`
    await rest('PUT', `${path}/sender/secret`, { secret: 'not base64!' })
    expect((await rest('GET', path)).body).not.toHaveProperty('warnings')
    const changed = await rest('PATCH', path, { sender: { scheme: 'standard-webhooks' } })
    expect(changed.body).toMatchObject({
      warnings: [{ path: 'sender', message: expect.stringContaining('must be base64') }],
    })
    const set = await rest('PUT', `${path}/sender/secret`, {
      secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    })
    expect(set.body).not.toHaveProperty('warnings')
  })

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

describe('an event of a scheme without a timestamp', () => {
  const body = '{"action":"opened","number":7}'
  const secret = 'a secret of GitHub'
  const post = async ({ credentials }: CreatedConnection, text = body) => {
    const response = await fetch(credentials.inboundUrl, {
      method: 'POST',
      body: text,
      headers: { 'x-github-event': 'issues', 'x-hub-signature-256': `sha256=${hmacHex(secret, text)}` },
    })
    return response.status
  }

  test.each([true, false])(
    'starts nothing again for 24 hours, also after a restart (stored: %s)',
    async persistEvents => {
      const service = await startService()
      const { rest, clock } = service
      const connection = await createConnection(rest, { sender: { scheme: 'github' } })
      const path = `/connections/${connection.connectionId}`
      await rest('PUT', `${path}/sender/secret`, { secret })
      await rest('PATCH', path, { persistEvents })
      await rest('POST', '/workflows', {
        ...{ workspaceId: 'default', name: 'W', trigger: { type: 'external.event' }, enabled: true },
        steps: [{ key: 'tell', type: 'notify', message: '{{action}} {{number}}' }],
      })
      const runs = async () => Object((await rest('GET', '/runs')).body).runs.length
      const again = async (count: number) => {
        const { inboundUrl } = AllCredentials.parse((await rest('GET', `${path}/credentials`)).body)
        expect(await post({ ...connection, credentials: { ...connection.credentials, inboundUrl } })).toBe(
          200,
        )
        expect(await runs()).toBe(count)
      }
      await again(1)
      await again(1)
      await service.restart()
      await again(1)
      await again(1)
      expect((await rest('GET', '/activity/list?kinds=event.repeated')).body).toMatchObject({
        items: [{ eventName: 'issues' }, { eventName: 'issues' }],
      })
      clock.now += 24 * hourMs + 1
      await again(2)
      const { inboundUrl } = AllCredentials.parse((await rest('GET', `${path}/credentials`)).body)
      const there = { ...connection, credentials: { ...connection.credentials, inboundUrl } }
      expect(await post(there, '{"action":"closed"}')).toBe(200)
      expect(await runs()).toBe(3)
    },
  )
})

describe('an event of another scheme', () => {
  test('has the same data in its run, in the lists, in a replay and in a test after the scheme was changed', async () => {
    const service = await startService()
    const { rest } = service
    const sender = { scheme: 'github', data: { path: 'pull_request' } }
    const connection = await createConnection(rest, { sender, persistEvents: true })
    const path = `/connections/${connection.connectionId}`
    const secret = 'a secret of GitHub'
    await rest('PUT', `${path}/sender/secret`, { secret })
    const workflow = await rest('POST', '/workflows', {
      ...{ workspaceId: 'default', name: 'W', trigger: { type: 'external.event' }, enabled: true },
      steps: [{ key: 'tell', type: 'notify', message: '{{eventName}} {{id}} {{ratio}}' }],
    })
    const body = '{ "action": "opened", "pull_request": { "id": 9007199254740993, "ratio": 1.10 } }'
    const text = new URLSearchParams({ payload: body }).toString()
    const answer = await fetch(connection.credentials.inboundUrl, {
      method: 'POST',
      body: text,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-github-event': 'pull_request',
        'x-hub-signature-256': `sha256=${hmacHex(secret, text)}`,
      },
    })
    expect(answer.status).toBe(200)
    await rest('PATCH', path, { sender: { scheme: 'custom-connection' } })
    await service.restart()

    const { events } = Object((await rest('GET', `${path}/events`)).body)
    const dataText = '{"id":9007199254740993,"ratio":1.10}'
    expect(events).toMatchObject([{ eventName: 'pull_request', dataText, bodyText: text, notes: [] }])
    const list = (await rest('GET', '/activity/list?kinds=event.accepted')).body
    expect(list).toMatchObject({ items: [{ subject: '9007199254740993' }] })
    const replay = await rest('POST', `${path}/events/${events[0].eventId}/replay`)
    expect(replay.status).toBe(200)
    const test = await rest('POST', `/workflows/${Object(workflow.body).workflowId}/test`, {
      eventId: events[0].eventId,
    })
    expect(test.status).toBe(200)
    const { runs } = Object((await rest('GET', '/runs')).body)
    expect(runs).toHaveLength(3)
    for (const { runId } of runs) {
      const run = await rest('GET', `/runs/${runId}`)
      expect(run.text).toContain('"pull_request 9007199254740993 1.10"')
      expect(run.text).toContain('"payload":{"id":9007199254740993,"ratio":1.10,')
    }
  })

  test('is a challenge of Slack: it is answered once its signature is right, and starts nothing', async () => {
    const { rest } = await startService()
    const sender = { scheme: 'slack' }
    const { credentials, connectionId } = await createConnection(rest, { sender, persistEvents: true })
    const secret = 'a secret of Slack'
    await rest('PUT', `/connections/${connectionId}/sender/secret`, { secret })
    await rest('POST', '/workflows', {
      ...{ workspaceId: 'default', name: 'W', trigger: { type: 'external.event' }, enabled: true },
      steps: [{ key: 'tell', type: 'notify', message: 'x' }],
    })
    const body = '{"token":"x","challenge":"3eZbrw1aB","type":"url_verification"}'
    const timestamp = String(startOfTests / 1000)
    const post = (key: string) =>
      fetch(credentials.inboundUrl, {
        method: 'POST',
        body,
        headers: {
          'x-slack-request-timestamp': timestamp,
          'x-slack-signature': `v0=${hmacHex(key, `v0:${timestamp}:${body}`)}`,
        },
      })
    const refused = await post('another secret')
    expect(refused.status).toBe(401)
    expect(await refused.text()).not.toContain('3eZbrw1aB')
    const answer = await post(secret)
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      ...[200, 'text/plain; charset=utf-8', '3eZbrw1aB'],
    ])
    expect((await rest('GET', '/activity/list?kinds=event.accepted')).body).toMatchObject({
      items: [{ eventName: 'url_verification', stored: false }],
    })
    expect((await rest('GET', '/runs')).body).toMatchObject({ runs: [] })
    expect((await rest('GET', `/connections/${connectionId}/events`)).body).toMatchObject({ events: [] })
  })
})

describe('a template whose signature does not tell its parts apart', () => {
  const sender = {
    ...{ scheme: 'template', signatureHeader: 'x-sig', encoding: 'hex', signed: '{{id}}{{body}}' },
    ...{ idHeader: 'x-id', eventName: { path: 'type' } },
  }

  test('is refused when it is saved or imported', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest)
    const changed = await rest('PATCH', `/connections/${connectionId}`, { sender })
    expect(issuePaths(changed)).toEqual(['sender.signed'])
    expect(issuePaths(await rest('POST', '/connections', { name: 'New', sender }))).toEqual(['sender.signed'])
    const document = JSON.stringify({ version: 1, connection: { name: 'x', sender } })
    expect((await rest('POST', '/import', { text: document })).body).toMatchObject({
      ...{ code: 'invalid_document', data: { issues: [{ path: 'connection.sender.signed' }] } },
    })
    const beside = { ...sender, signed: '{{url}}{{body}}', idHeader: undefined }
    expect((await rest('PATCH', `/connections/${connectionId}`, { sender: beside })).status).toBe(200)
  })

  test('keeps working where an earlier version has stored it, with a warning', () => {
    const record = { ...recordNamed('first'), sender: Sender.parse(sender) }
    expect(warningsOf(record)).toMatchObject({ warnings: [{ path: 'sender.signed' }] })
    const secrets = [{ secret: 'a key', expiresAt: null }]
    const rawHeaders = ['x-id', '7', 'x-sig', hmacHex('a key', '7{"type":"a"}')]
    const request = { sender: record.sender, secrets, rawHeaders, body: Buffer.from('{"type":"a"}') }
    expect(verifySender({ ...request, url: '', nowMs: startOfTests }).ok).toBe(true)
  })
})
