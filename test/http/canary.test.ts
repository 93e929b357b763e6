import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { OccurrencePage } from '#shared/model/activity.ts'
import { Credentials } from '#shared/model/connection.ts'
import { hmacHex } from '../signing/sender.ts'
import { createAction } from '../support/actions.ts'
import { openFeed } from '../support/event-feed.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { expectNowhere, filesBelow } from '../support/leaks.ts'
import { readingProcedures } from '../support/reading-procedures.ts'
import { type CreatedConnection, createConnection, type RestMethod } from '../support/rest-client.ts'
import { backupLink, signIn } from '../support/rpc-client.ts'
import { adminToken, postInbound, type ServiceFixture, startService } from '../support/service-fixture.ts'
import { bearer, type HttpCall, http } from './http.ts'

/** Requests whose answers may contain credentials: creates, credentials reads, rotations. They are not collected. */
const mayCarryCredentials = /^POST \/connections$|\/(credentials|rotate-secret|regenerate-token)$/

/** Everything that can be asked of a connection, rightly and wrongly. */
async function useEverything(
  fixture: ServiceFixture,
  connection: CreatedConnection,
  call: (method: RestMethod, path: string, body?: unknown) => Promise<void>,
): Promise<void> {
  const path = `/connections/${connection.connectionId}`
  await call('GET', '/connections')
  await call('GET', path)
  await call('PATCH', path, { persistEvents: true, baseUrl: 'https://api.example.com' })
  await call('PATCH', path, { timeoutMs: 'soon', signingSecret: connection.credentials.inboundUrl })
  await call('POST', `${path}/event-types`, { eventName: 'a', samplePayload: { x: 1 } })
  await call('POST', `${path}/event-types`, { eventName: 'a' })
  await call('POST', `${path}/send`, { event: 'a', data: { x: 1 } })
  await call('POST', `${path}/send`, { event: 'a', dataText: '{' })
  await call('POST', `${path}/send`, { event: '' })
  await call('GET', `${path}/event-types`)
  await call('GET', `${path}/events?limit=0`)
  await call('GET', `${path}/events/evt_none`)
  await call('POST', `${path}/events/evt_none/replay`)
  await sendWell(fixture, connection)
  await sendBadly(fixture, connection)
  await call('GET', `${path}/attempts`)
  await call('GET', `${path}/events`)
  const [eventId] = /evt_[0-9a-z]{11}/.exec((await fixture.rest('GET', `${path}/events`)).text) ?? []
  await call('GET', `${path}/events/${eventId}`)
  await call('POST', `${path}/events/${eventId}/replay`)
  await call('DELETE', `${path}/events/${eventId}`)
}

async function sendWell(fixture: ServiceFixture, { credentials }: CreatedConnection): Promise<void> {
  const answer = await postInbound(credentials, '{"event":"good","data":{"n":1}}', fixture.clock.now)
  expect(answer.status).toBe(200)
}

/** One refusal of each kind that a sender can bring about, mistakes that are diagnosed among them. */
async function sendBadly({ clock }: ServiceFixture, { credentials }: CreatedConnection): Promise<void> {
  const { inboundUrl, inboundToken, signingSecret } = credentials
  const post = (changes: Partial<Credentials>, body = '{"event":"bad"}', at = clock.now) =>
    postInbound({ ...credentials, ...changes }, body, at)
  const answers = [
    await post({ signingSecret: signingSecret.replace('whsec_', '') }),
    await post({ signingSecret: `${signingSecret} ` }),
    await post({ signingSecret: inboundToken }),
    await post({ signingSecret: 'whsec_wrong' }),
    await post({}, '{"event":"bad"}', clock.now - 400_000),
    await post({}, '{"event":"bad"}', Math.floor(clock.now / 1000)),
    await post({}, 'no json'),
    await post({}, '{"data":{}}'),
    await post({}, '{"event":7}'),
    await post({}, '{"event":"x","data":[]}'),
    await post({ inboundUrl: inboundUrl.replace(inboundToken, 'unknown') }),
    await post({ inboundUrl: `${inboundUrl}/` }),
  ]
  for (const { status, text } of answers) {
    expect(status).toBeGreaterThanOrEqual(400)
    expect(text).not.toContain(signingSecret)
    expect(text).not.toContain(inboundToken)
  }
}

/** Values of environment variables, with characters that each encoding writes differently. */
const variables = {
  SETTINGS_KEY: 'settings-canary/4711+"quoted" & more',
  REPLACED_KEY: 'replaced-canary-4712-of-the-settings',
  PROCESS_KEY: 'process-canary-4713-of-the-process',
  SPLIT_KEY: 'split-canary-4714\r\nX-Evil: 1',
  BEARER_KEY: 'Bearer bearer-canary-4715',
  BASIC_KEY: `Basic ${Buffer.from('basic-user-canary:basic-password-canary').toString('base64')}`,
  PAIR_KEY: Buffer.from('pair-user-canary:pair-password-canary').toString('base64'),
}
/** Parts of these values that the external system receives, and may send back to any action. */
const partsOfVariables = {
  'credential after Bearer': 'bearer-canary-4715',
  'credential after Basic': variables.BASIC_KEY.slice('Basic '.length),
  'pair after Basic': 'basic-user-canary:basic-password-canary',
  'user after Basic': 'basic-user-canary',
  'password after Basic': 'basic-password-canary',
  'pair of a header': 'pair-user-canary:pair-password-canary',
  'password of a header': 'pair-password-canary',
}

/** Calls actions that use the variables, of a system that sends back what it got in every spelling, and its secrets. */
async function useVariables(
  { rest }: ServiceFixture,
  signingSecrets: readonly string[],
  call: (method: RestMethod, path: string, body?: unknown) => Promise<void>,
): Promise<void> {
  const system = await startExternalSystem(({ headers, url }, response) => {
    const text = String(headers['x-key'])
    // A value that was replaced no longer belongs to a variable.
    const { REPLACED_KEY: _replaced, ...current } = variables
    const others = [...Object.values({ ...current, ...partsOfVariables }), ...signingSecrets]
    response.setHeader('x-echo', text)
    response.statusCode = url.includes('bad') ? 500 : 200
    const spellings = [
      text,
      encodeURIComponent(text),
      encodeURIComponent(encodeURIComponent(text)),
      JSON.stringify(text),
      Buffer.from(text).toString('base64'),
      Buffer.from(text).toString('base64url'),
      Buffer.from(`user:${text}`).toString('base64'),
    ]
    response.end(
      url.includes('text')
        ? [...spellings, ...others].join('\n')
        : JSON.stringify({ spellings, others, [text]: text }),
    )
  })
  for (const [name, value] of Object.entries(variables)) {
    if (name === 'PROCESS_KEY') continue
    await call('PUT', `/environment/${name}`, { value })
    await call('PUT', `/environment/${name}`, { value: [value] })
    await call('PUT', `/environment/${name}`, { value: value.repeat(2000) })
    await call('PUT', '/environment/not-a-name', { value })
  }
  const { connectionId } = await createConnection(rest, { baseUrl: system.url })
  for (const name of Object.keys(variables)) {
    for (const path of ['/json', '/text', '/bad'])
      await createAction(rest, connectionId, {
        name: `${name} ${path}`,
        method: 'POST',
        path,
        headers: { 'X-Key': name === 'PAIR_KEY' ? `Basic {{${name}}}` : `{{${name}}}` },
        parameters: [{ name: 'note', type: 'string', description: 'x', required: false }],
        responseMapping: path === '/json' ? { all: 'spellings', others: 'others', none: 'x' } : null,
      })
  }
  await call('PUT', '/environment/REPLACED_KEY', { value: `${variables.REPLACED_KEY}-again` })
  const path = `/connections/${connectionId}`
  const actions = z
    .array(z.object({ actionId: z.string() }))
    .parse((await rest('GET', `${path}/actions`)).body)
  for (const { actionId } of actions) {
    const one = `${path}/actions/${actionId}`
    await call('POST', `${one}/test`, {})
    await call('POST', `${one}/test`, { arguments: { note: Object.values(partsOfVariables).join(' ') } })
    await call('POST', `${one}/test`, { arguments: { wrong: 1 } })
    await call('PATCH', path, { baseUrl: 'http://127.0.0.1:1' })
    await call('POST', `${one}/test`, {})
    await call('PATCH', path, { baseUrl: system.url })
    await call('GET', `${one}/tests`)
    await call('GET', one)
  }
  expect(system.requests.map(({ headers }) => headers['x-key'])).toEqual(
    expect.arrayContaining([
      variables.SETTINGS_KEY,
      `${variables.REPLACED_KEY}-again`,
      variables.PROCESS_KEY,
    ]),
  )
  for (const all of [`${path}/actions`, `${path}/export`, '/tools', '/environment', '/settings'])
    await call('GET', all)
  const text = JSON.stringify({
    actions: [{ name: 'x', description: 'x', path: '/', headers: { A: '{{PROCESS_KEY}}' } }],
  })
  await call('POST', '/import/preview', { text, connectionId })
  await call('DELETE', '/environment/REPLACED_KEY')
  await call('DELETE', path)
}

const senderSecrets = ['sender-canary-4716-first', 'whsec_sender/canary+4717/second', ' sender-canary-4718 ']

/** Sets the secret of a sender, replaces it, and refuses one and several requests. */
async function useSender(
  { rest }: ServiceFixture,
  call: (method: RestMethod, path: string, body?: unknown) => Promise<void>,
): Promise<void> {
  const { connectionId, credentials } = await createConnection(rest, { name: 'sender' })
  const path = `/connections/${connectionId}`
  const [first, second, refused] = senderSecrets
  await call('PUT', `${path}/sender/secret`, { secret: first })
  await call('PATCH', path, { sender: { scheme: 'github' }, senderSecret: first })
  for (const secret of [first, second, refused, [first], `${first}`.repeat(50)])
    await call('PUT', `${path}/sender/secret`, { secret, graceHours: 24 })
  await call('PATCH', path, { sender: { scheme: 'standard-webhooks' } })
  await call('PUT', `${path}/sender/secret`, { secret: first })
  await call('PATCH', path, { sender: { scheme: 'github' }, persistEvents: true })
  for (const secret of [first, second, 'wrong'])
    await fetch(credentials.inboundUrl, {
      method: 'POST',
      body: '{"zen":"Keep it logically awesome."}',
      headers: {
        'x-github-event': 'ping',
        'x-hub-signature-256': `sha256=${hmacHex(`${secret}`, '{"zen":"Keep it logically awesome."}')}`,
      },
    })
  for (const read of [path, `${path}/attempts`, `${path}/events`, `${path}/export`]) await call('GET', read)
}

/**
 * Everything that the dashboard's own interface and its session can be asked for, rightly and wrongly.
 *
 * @returns the answers with their header fields, what the live stream says from now on, and the two halves of a
 *   session that is still open.
 */
async function useDashboard(
  { dashboardUrl, rest }: ServiceFixture,
  { connectionId, credentials }: CreatedConnection,
): Promise<{ answers: string[]; live: () => string; session: readonly string[] }> {
  const answers: string[] = []
  const session = await signIn(dashboardUrl)
  const [, sessionId = ''] = session.cookie.split('=')
  const headers = { ...session, 'x-csrf-token': 'orpc', 'content-type': 'application/json' }
  const ask = async (call: HttpCall) => {
    const { status, headers, text } = await http(dashboardUrl, call)
    answers.push(`${call.method} ${call.path} → ${status} ${JSON.stringify(headers)} ${text}`)
  }
  const live = await openLiveStream(dashboardUrl, headers)
  const rpc = (path: string, input: unknown = {}) =>
    ask({ method: 'POST', path: `/rpc/${path}`, body: JSON.stringify({ json: input }), headers })
  for (const path of readingProcedures()) await rpc(path, { connectionId })
  const { body } = await rest('GET', '/activity/list')
  for (const { id } of OccurrencePage.parse(body).items) {
    await rpc('activity/get', { itemId: id })
    await rpc('attempts/get', { connectionId, attemptId: `att_${id}` })
    await rpc('events/get', { connectionId, eventId: `evt_${id}` })
    await rpc('calls/get', { callId: `call_${id}` })
  }
  await rpc('connections/update', { connectionId, name: [adminToken], signingSecret: credentials.inboundUrl })
  await rpc('events/send', { connectionId, event: 'a', dataText: '{"x":1}' })
  await rpc('workspaces/probe', { workspaceId: 'default' })
  await rpc('workspaces/probe', { workspaceId: 'default', publicBaseUrl: 'http://127.0.0.1:1' })
  await rpc('service/moveListener', { host: '192.0.2.1', port: 1 })
  await rpc('nope')
  await ask({ method: 'POST', path: '/rpc/connections/list', body: '{', headers })
  for (const authority of [{}, { authorization: 'Bearer wrong' }, { cookie: 'cc_session=wrong' }]) {
    await ask({ method: 'POST', path: '/rpc/connections/list', headers: authority })
    for (const method of ['GET', 'POST', 'DELETE'])
      await ask({ method, path: '/session', headers: authority })
  }
  await ask({ method: 'GET', path: '/session', headers: session })
  await ask({ method: 'POST', path: '/session', headers: bearer })
  for (const method of ['GET', 'HEAD']) await ask({ method, path: '/', headers: session })
  for (const headers of [{}, session, { cookie: 'cc_session=wrong', 'x-csrf-token': 'orpc' }])
    for (const method of ['GET', 'POST']) await ask({ method, path: '/download/backup', headers })
  const linkPath = await backupLink(dashboardUrl, session)
  // The file contains all secrets on purpose, so it is not searched.
  const backup = await fetch(`${dashboardUrl}/${linkPath}`, { headers: session })
  answers.push(`GET /download/backup → ${backup.status} ${JSON.stringify([...backup.headers])}`)
  await backup.body?.cancel()
  return { answers, live, session: [sessionId, session['x-session-key']] }
}

/** Follows everything as the dashboard's page does. @returns what has come so far. */
async function openLiveStream(dashboardUrl: string, headers: Record<string, string>): Promise<() => string> {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const answer = await fetch(`${dashboardUrl}/rpc/live/follow`, {
    method: 'POST',
    body: '{"json":{}}',
    headers,
    signal: stop.signal,
  })
  let text = JSON.stringify([...answer.headers])
  async function read(): Promise<void> {
    for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece
  }
  // It has no end but that of the service or the test.
  read().catch(() => {})
  return () => text
}

test('no answer, feed, log or file holds a signing secret, an inbound token, the admin token, a session or the value of a variable', async () => {
  // The settings refuse a line break; a variable of the process may have one.
  const env = { PROCESS_KEY: variables.PROCESS_KEY, SPLIT_KEY: variables.SPLIT_KEY }
  const fixture = await startService({ service: { env } })
  const { rest, dashboardUrl, dataFolder, log } = fixture
  const answers: string[] = []
  const call = async (method: RestMethod, path: string, body?: unknown) => {
    expect(`${method} ${path}`).not.toMatch(mayCarryCredentials)
    const { status, text } = await rest(method, path, body)
    answers.push(`${method} ${path} → ${status} ${text}`)
  }
  const feed = await openFeed(fixture)
  const secrets = new Map([
    ['admin token', adminToken],
    ...Object.entries({ ...variables, ...partsOfVariables }),
  ])
  const remember = (what: string, { inboundToken, signingSecret }: Credentials) => {
    secrets.set(`${what} token ${secrets.size}`, inboundToken)
    secrets.set(`${what} secret ${secrets.size}`, signingSecret)
  }

  const first = await createConnection(rest, { name: 'first' })
  const second = await createConnection(rest, { name: 'second' })
  remember('first', first.credentials)
  remember('second', second.credentials)
  // A sender that holds the other connection's secret: the diagnosis names the connection, not the secret.
  await postInbound(
    { ...first.credentials, signingSecret: second.credentials.signingSecret },
    '{"event":"x"}',
  )
  await useEverything(fixture, first, call)
  await useVariables(
    fixture,
    [first, second].map(({ credentials }) => credentials.signingSecret),
    call,
  )
  await useSender(fixture, call)
  for (const secret of senderSecrets) secrets.set(`of a sender ${secret}`, secret)
  const dashboard = await useDashboard(fixture, first)
  for (const half of dashboard.session) secrets.set(`session ${secrets.size}`, half)

  const path = `/connections/${first.connectionId}`
  remember(
    'rotated',
    Credentials.parse((await rest('POST', `${path}/rotate-secret`, { graceHours: 1 })).body),
  )
  await postInbound(first.credentials, '{"event":"previous"}')
  remember(
    'rotated',
    Credentials.parse((await rest('POST', `${path}/rotate-secret`, { graceHours: 0 })).body),
  )
  remember('regenerated', Credentials.parse((await rest('POST', `${path}/regenerate-token`)).body))
  await postInbound(first.credentials, '{"event":"old url"}')
  await call('GET', '/attempts')
  await call('GET', path)
  await call('PATCH', path, { enabled: false })
  await call('POST', `${path}/send`, { event: 'disabled' })
  for (const bad of ['/workspaces/nope', '/connections/nope', '/nope']) await call('DELETE', bad)
  for (const known of ['/workspaces', '/settings', '/health', '/openapi.json']) await call('GET', known)
  for (const headers of [{}, { authorization: 'Bearer wrong' }, { origin: 'https://evil.example' }])
    answers.push((await http(dashboardUrl, { headers })).text)

  await expect.poll(async () => (await rest('GET', `${path}/attempts`)).text).toContain('connection_disabled')
  await expect
    .poll(async () => {
      await feed.next()
      return feed.text()
    })
    .toContain('connection_disabled')

  await expect.poll(dashboard.live).toContain('"activity.changed"')

  // While it runs, so that the log's side files are there too, and again after it has stopped.
  const places = new Map([
    ['REST', answers.join('\n')],
    ['dashboard', dashboard.answers.join('\n')],
    ['feed', feed.text()],
    ['live stream', dashboard.live()],
    ['log', log.text()],
    ...(await filesBelow(dataFolder, 'admin-token')),
  ])
  await fixture.stop()
  for (const [name, content] of await filesBelow(dataFolder, 'admin-token'))
    places.set(`${name}, stopped`, content)
  places.set('log, stopped', log.text())

  expect(places.get('config.json, stopped')).toContain('first')
  expect(places.get('config.json, stopped')).toContain('SETTINGS_KEY')
  expect(places.get('REST')).toContain('••••')
  expect(places.get('dashboard')).toContain('"code":"ok"')
  expect(places.get('dashboard')).toContain('address_unavailable')
  expect(places.get('dashboard')).toContain('custom-connection-backup-')
  expect(places.get('live stream')).toContain('"statistics"')
  expect(places.get('dashboard')).toContain('"invalid_signature"')
  expect(places.get('sessions.json')).toContain('digest')
  expect(places.get('feed')).toContain('call.finished')
  expect(places.get('log')).toContain('invalid_signature')
  expectNowhere(secrets, places)
})
