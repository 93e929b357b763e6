import { generateKeyPairSync, sign } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { hmacHex } from '../../signing/sender.ts'
import { createConnection, type Rest } from '../../support/rest-client.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { askAgain, chooseByKey, clipboard, dashboardTests } from './fixture.ts'

const { open } = dashboardTests()

const secret = 'pk_live_4f1c0b7e'
const body = '{"type":"parcel.delivered","data":{"parcel":"PKT-7"}}'

/** Posts an event as a parcel service signs it. */
function postParcel(inboundUrl: string): Promise<Response> {
  const seconds = String(Math.floor(Date.now() / 1000))
  return fetch(inboundUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-pakket-time': seconds,
      'x-pakket-signature': `v1=${hmacHex(secret, `${seconds}.${body}`)}`,
    },
    body,
  })
}

const steps = (page: Page) => page.getByRole('list', { name: 'Steps of the verification' })
const stateOf = (page: Page, name: string) =>
  steps(page)
    .getByRole('listitem')
    .filter({ has: page.getByText(name, { exact: true }) })
    .getAttribute('data-state')

test('describes the scheme of a sender with a request that was refused', async () => {
  const { page, go, service } = await open()
  const { connectionId, credentials } = await createConnection(service.rest, { name: 'Parcel Tracker' })
  expect((await postParcel(credentials.inboundUrl)).status).toBe(401)
  const attempts = () => service.rest('GET', `/connections/${connectionId}/attempts`)
  await expect.poll(async () => (await attempts()).text).toContain('other_header')
  await go(`/connections/${connectionId}`)
  const card = page.getByRole('region', { name: 'How this sender signs' })
  await card.getByText('the whole secret is the key').waitFor()
  await card.getByRole('link', { name: 'Change' }).press('Enter')
  await page.getByRole('heading', { name: 'Try one real request' }).waitFor()

  // Last refused: it is signed in another header.
  const last = page.getByRole('button', { name: 'Last refused' })
  await expect.poll(() => last.isEnabled()).toBe(true)
  await last.press('Enter')
  await chooseByKey(page, /Signature in another header/)
  await expect.poll(() => stateOf(page, 'Header')).toBe('failed')
  await expect.poll(() => page.getByLabel('Request', { exact: true }).inputValue()).toContain('x-pakket-time')
  await expectAccessibleInBothSchemes(page)

  await page.getByRole('radio', { name: 'Custom Connection' }).press('End')
  await page.getByRole('radio', { name: 'Custom Connection' }).press('ArrowUp')
  await expect.poll(() => page.getByRole('radio', { name: /Other/ }).isChecked()).toBe(true)
  await page.getByLabel('Signature header').fill('x-pakket-signature')
  await page.getByLabel('Prefix').first().fill('v1=')
  await page.getByLabel('Timestamp header').fill('x-pakket-time')
  await page.getByLabel('Field with the event name').fill('type')
  await page.getByLabel('Signing secret', { exact: true }).fill(secret)
  await page.getByText('Verified').waitFor()
  await page.getByText('as parcel.delivered').waitFor()

  // Without the timestamp in the signed text, it names the text that verifies.
  await page.getByLabel('Signed text').fill('{{body}}')
  await page.getByText('The sender signs the time too').waitFor()
  await page.getByRole('button', { name: 'Save anyway' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('F8')
  await page.keyboard.press('Enter')
  await page.getByText('Verified').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Save scheme' }).waitFor({ state: 'hidden' })
  expect((await service.rest('GET', `/connections/${connectionId}`)).body).toMatchObject({
    sender: {
      ...{ scheme: 'template', signatureHeader: 'x-pakket-signature', signed: '{{timestamp}}.{{body}}' },
      ...{ timestampHeader: 'x-pakket-time', timestampUnit: 's', eventName: { path: 'type' } },
    },
    hasSenderSecret: true,
  })
  expect((await postParcel(credentials.inboundUrl)).status).toBe(200)

  // Between placeholders without a separator, bytes can move.
  await page.getByLabel('Signed text').fill('{{timestamp}}.{{header:x-shop}}{{body}}')
  await page.getByText(/^Nothing separates/).waitFor()
  await expectAccessibleInBothSchemes(page)
})

test('accepts seconds from a sender that cannot be changed', async () => {
  const { page, go, service } = await open()
  const { connectionId, credentials } = await createConnection(service.rest, { name: 'Billing Bridge' })
  const { inboundUrl, signingSecret } = credentials
  const event = '{"event":"invoice.paid","data":{}}'
  const postInvoice = () => {
    const seconds = String(Math.floor(Date.now() / 1000))
    const headers = {
      'x-service-timestamp': seconds,
      'x-service-signature': `sha256=${hmacHex(signingSecret, `${seconds}.${event}`)}`,
    }
    return fetch(inboundUrl, { method: 'POST', headers, body: event })
  }
  expect((await postInvoice()).status).toBe(401)
  await go(`/connections/${connectionId}/activity`)
  await page.getByText('Timestamp in seconds').first().click()
  await page.getByRole('link', { name: 'Accept seconds from it' }).press('Enter')
  await page.getByText('Verified').waitFor()
  await page.getByText('as invoice.paid').waitFor()
  await page.getByText('signs as Other, not as Custom Connection').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Save scheme' }).waitFor({ state: 'hidden' })
  expect((await service.rest('GET', `/connections/${connectionId}`)).body).toMatchObject({
    sender: { scheme: 'template', signatureHeader: 'x-service-signature', timestampUnit: 's' },
    hasSenderSecret: true,
  })
  expect((await postInvoice()).status).toBe(200)
})

test('recognizes GitHub, and shows code of senders only for the default scheme', async () => {
  const { page, go, service } = await open({ width: 900, height: 600 })
  const { connectionId, credentials } = await createConnection(service.rest, { name: 'Repository' })
  const github = 'It is a Secret to Everybody'
  const headers = { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${hmacHex(github, body)}` }
  expect((await fetch(credentials.inboundUrl, { method: 'POST', headers, body })).status).toBe(401)
  await go(`/connections/${connectionId}/activity`)
  await page.getByText('Signed in another scheme').first().click()
  await page.getByText('This sender signs as GitHub').waitFor()
  await page.getByRole('link', { name: 'Accept what GitHub signs' }).press('Enter')

  // A narrow window shows one pane at a time.
  await page.getByRole('heading', { name: 'GitHub' }).waitFor()
  await page.getByLabel('Signing secret', { exact: true }).fill(`${github}?`)
  await page.getByRole('button', { name: 'Try' }).press('Enter')
  await expect.poll(() => stateOf(page, 'Signature')).toBe('failed')
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Escape')
  await page.getByLabel('Signing secret', { exact: true }).fill(github)
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Save scheme' }).waitFor({ state: 'hidden' })
  // The secret is shown only when it is asked for.
  await expect.poll(() => page.getByRole('textbox', { name: 'Signing secret' }).inputValue()).toMatch(/^•+$/)
  await page.getByRole('button', { name: 'Reveal signing secret' }).press('Enter')
  await expect.poll(() => page.getByRole('textbox', { name: 'Signing secret' }).inputValue()).toBe(github)

  await go(`/connections/${connectionId}`)
  const card = page.getByRole('region', { name: 'How this sender signs' })
  await card.getByText('x-hub-signature-256').waitFor()
  const code = page.getByRole('region', { name: 'Code' })
  await code.getByText('custom-connection send').waitFor()
  expect(await code.getByText('x-service-signature').count()).toBe(0)
  await expectAccessibleInBothSchemes(page)
})

test('finds a preset by its name and accepts a fixed token by hand', async () => {
  const { page, go, service } = await open()
  const { connectionId, credentials } = await createConnection(service.rest, { name: 'Pipelines' })
  await go(`/connections/${connectionId}/sender`)
  const search = page.getByRole('searchbox', { name: 'Search: How this sender signs' })
  await search.waitFor()
  await page.keyboard.press('/')
  await search.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('no such sender')
  await page.getByText('No preset. Other describes any scheme.').waitFor()
  await search.fill('gitlab')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Space')
  await page.getByRole('heading', { name: 'GitLab' }).waitFor()
  await page.getByText('the token can send events').waitFor()
  await expectAccessibleInBothSchemes(page)

  // Not without saying so.
  await page.getByLabel('Token', { exact: true }).fill('glpat-31b7')
  await page.getByText('1 problem to solve').waitFor()
  await page.getByRole('checkbox', { name: /Accept events with a fixed token/ }).press('Space')
  await page.getByText('1 problem to solve').waitFor({ state: 'hidden' })
  await page.keyboard.press('Control+s')
  // The scheme is saved before the secret, and the button is named otherwise then.
  const saved = async () => (await service.rest('GET', `/connections/${connectionId}`)).body
  await expect.poll(saved).toMatchObject({ sender: { scheme: 'gitlab' }, hasSenderSecret: true })
  const post = (token: string) =>
    fetch(credentials.inboundUrl, {
      method: 'POST',
      headers: { 'x-gitlab-token': token, 'x-gitlab-event': 'Push Hook' },
      body: '{"ref":"refs/heads/main"}',
    })
  expect((await post('glpat-31b8')).status).toBe(401)
  expect((await post('glpat-31b7')).status).toBe(200)
  await go(`/connections/${connectionId}`)
  const card = page.getByRole('region', { name: 'How this sender signs' })
  await card.getByText('anyone who knows the URL and the token can send').waitFor()
})

test('lists the events of a tried request, each with the workflows that it would start', async () => {
  const { page, go, service } = await open()
  const { connectionId } = await createConnection(service.rest, { name: 'Mail' })
  for (const eventName of ['bounce', 'bounce', 'delivered'])
    await service.rest('POST', '/workflows', {
      ...{ name: 'Mail', trigger: { type: 'external.event', connectionId, eventName } },
      steps: [{ key: 'end', type: 'stop', outcome: 'succeeded' }],
    })
  const events = ['delivered', 'open', 'bounce', ...Array.from({ length: 19 }, () => 'open')]
  const list = JSON.stringify(events.map(event => ({ event })))
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const seconds = String(Math.floor(Date.now() / 1000))
  const header = 'x-twilio-email-event-webhook'
  const signature = sign('sha256', Buffer.from(seconds + list), privateKey).toString('base64')
  await go(`/connections/${connectionId}/sender`)
  await page.getByRole('radio', { name: 'SendGrid' }).click()
  const request = page.getByLabel('Request', { exact: true })
  await request.fill(`${header}-timestamp: ${seconds}\n${header}-signature: ${signature}\n\n${list}`)
  const items = page.getByRole('table', { name: 'Items of the last request' })
  // Before the key is right.
  await items.waitFor()
  await page.getByText('20 of 22').waitFor()
  const row = async (index: number) => (await items.getByRole('row').nth(index).innerText()).split(/\s*\t\s*/)
  expect(await items.getByRole('row').count()).toBe(21)
  expect([await row(1), await row(2), await row(3)]).toEqual([
    ['0', 'delivered', '1 workflow'],
    ['1', 'open', 'nothing'],
    ['2', 'bounce', '2 workflows'],
  ])
  await expectAccessibleInBothSchemes(page)
  await page
    .getByRole('textbox', { name: 'Public key' })
    .fill(publicKey.export({ type: 'spki', format: 'pem' }).toString())
  await page.getByRole('status').filter({ hasText: 'Verified' }).waitFor()
  await items.waitFor()
  await request.fill(`${header}-timestamp: 1\n\n{"event":"open"}`)
  await items.waitFor({ state: 'detached' })
})

test('chooses what is checked of a sender that does not sign', async () => {
  const { page, go, service } = await open()
  const { connectionId, credentials } = await createConnection(service.rest, {
    sender: { scheme: 'event-grid' },
  })
  const path = `/connections/${connectionId}`
  await go(`${path}/sender`)
  const choice = page.getByRole('radiogroup', { name: 'What to check instead of a signature' })
  const token = choice.getByRole('radio', { name: 'A token in the URL or a header' })
  await expect.poll(() => token.isChecked()).toBe(true)
  await page.getByText('Anyone who knows the URL and the token can send events.').waitFor()
  await expectAccessibleInBothSchemes(page)
  await token.press('ArrowDown')
  await expect.poll(() => choice.getByRole('radio', { name: 'Nothing' }).isChecked()).toBe(true)
  await page.getByText('Anyone who knows the URL can send events.').waitFor()
  expect(await page.getByLabel('Token', { exact: true }).count()).toBe(0)
  await page.getByText('1 problem to solve').waitFor()
  await page.getByRole('checkbox', { name: 'Accept unsigned events on this connection' }).press('Space')
  await page.getByRole('button', { name: 'Accept unsigned events' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Control+s')
  const saved = async () => (await service.rest('GET', path)).body
  await expect.poll(saved).toMatchObject({ sender: { scheme: 'event-grid', verify: 'none' } })
  const event = '[{"eventType":"blob.created","data":{}}]'
  expect((await fetch(credentials.inboundUrl, { method: 'POST', body: event })).status).toBe(200)
  await go(path)
  await page.getByText('anyone who knows the URL can send').waitFor()
  // Back to the usual one, which is saved as before.
  await go(`${path}/sender`)
  await choice.getByRole('radio', { name: 'Nothing' }).press('ArrowUp')
  await page.getByRole('checkbox', { name: /Accept events with a fixed token/ }).press('Space')
  await page.getByLabel('Token', { exact: true }).fill('a-token')
  await page.keyboard.press('Control+s')
  await expect.poll(async () => JSON.stringify(await saved())).toContain('"sender":{"scheme":"event-grid"}')
  expect((await fetch(credentials.inboundUrl, { method: 'POST', body: event })).status).toBe(401)
})

/** Asks as Meta does whether a connection wants its events. */
const askAsMeta = (inboundUrl: string, token: string) =>
  fetch(
    `${inboundUrl}?${new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': token })}`,
  )

/** Creates a connection of Meta's events. */
async function createMeta(rest: Rest) {
  const { connectionId, credentials } = await createConnection(rest, {
    ...{ name: 'WhatsApp orders', persistEvents: true, sender: { scheme: 'meta' } },
  })
  const path = `/connections/${connectionId}`
  await rest('PUT', `${path}/sender/secret`, { secret })
  const { body } = await rest('GET', `${path}/credentials`)
  const { verifyToken } = z.object({ verifyToken: z.string() }).parse(body)
  return { path, verifyToken, inboundUrl: credentials.inboundUrl }
}

test('says how a pasted question is answered, and what differs', async () => {
  const { page, go, service } = await open()
  const { path, verifyToken } = await createMeta(service.rest)
  await go(`${path}/sender`)
  const request = page.getByLabel('Request', { exact: true })
  const asked = (token: string) =>
    `curl 'https://in.example/x?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}'`
  await request.fill(asked(verifyToken.slice(0, -3)))
  await page.getByText('The token lacks 3 characters at its end.').waitFor()
  await page.getByRole('status').filter({ hasText: 'Refused' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await request.fill(asked(verifyToken))
  await page.getByText('It is a question of the sender, which is answered with 1158201444').waitFor()
  await page.getByRole('status').filter({ hasText: 'Answered' }).waitFor()
  expect(await steps(page).count()).toBe(0)
  await expectAccessibleInBothSchemes(page)
})

test('shows a pasted request from its start, says what is cut, and masks the secret', async () => {
  const { page, go, service } = await open()
  const { connectionId } = await createConnection(service.rest, {
    ...{ name: 'Repository', sender: { scheme: 'github' } },
  })
  await go(`/connections/${connectionId}/sender`)
  const request = page.getByLabel('Request', { exact: true })
  const lines = ['x-github-event: push', `x-hub-signature-256: sha256=${'a'.repeat(200)}`, '']
  await request.fill([...lines, ...Array.from({ length: 40 }, (_none, index) => `line ${index}`)].join('\n'))
  await request.press('Control+a')
  await request.press('Control+x')
  await request.press('Control+v')
  await page.getByText(/^Lines 1 to [56] of 43\. Long lines go on at the right\.$/).waitFor()
  expect(await request.evaluate('document.activeElement.scrollTop')).toBe(0)
  await expectAccessibleInBothSchemes(page)
  await request.press('Control+End')
  await page.getByText(/^Lines 3\d to 43 of 43\./).waitFor()
  // What is typed is shown where it is typed.
  await page.keyboard.type('!')
  await page.getByText(/^Lines 3\d to 43 of 43\./).waitFor()

  const secret = page.getByLabel('Signing secret', { exact: true })
  await secret.fill('It is a Secret to Everybody')
  expect(await secret.getAttribute('type')).toBe('password')
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'Show what you typed' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => secret.getAttribute('type')).toBe('text')
  await page.getByRole('button', { name: 'Hide what you typed' }).press('Enter')
  await expect.poll(() => secret.getAttribute('type')).toBe('password')
})

test('waits for the question that a provider asks once, and for its first event', async () => {
  const { page, go, service } = await open()
  const { path, verifyToken, inboundUrl } = await createMeta(service.rest)
  await go(path)
  await page.getByText('Meta has not asked yet.').waitFor()
  await go(`${path}/sender`)
  const card = page.getByRole('region', { name: 'Switch it on at Meta' })
  await card.getByText('Waiting', { exact: true }).waitFor()
  await card.getByText('hub.challenge').waitFor()
  await expectAccessibleInBothSchemes(page)
  await card.getByRole('link', { name: 'Open the steps' }).press('Enter')
  await page.getByRole('heading', { name: 'Meta will call this URL once' }).waitFor()
  const current = page.getByRole('list', { name: 'State' }).locator('[aria-current="step"]')
  await expect.poll(() => current.textContent()).toBe('Waiting for Meta’s request')
  await page.getByText('Nothing has arrived yet').waitFor()
  await page.getByText('your verify token and a text of at most 4 KiB').waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('c')
  await page.getByText('URL and verify token copied').waitFor()
  expect(await clipboard(page)).toBe(`${inboundUrl}\n${verifyToken}`)
  await page.keyboard.press('f')
  await page.getByRole('button', { name: /^Paused/ }).waitFor()
  await page.keyboard.press('f')
  await page.getByRole('button', { name: /^Following/ }).waitFor()

  // A wrong token shows what differs, here alone.
  const refused = await askAsMeta(inboundUrl, verifyToken.slice(0, -3))
  expect([refused.status, await refused.text()]).toEqual([401, expect.not.stringContaining('3 characters')])
  const rows = page.getByRole('option')
  await rows.filter({ hasText: 'token differs' }).waitFor()
  await page.getByText('had a different verify token and got 401. Paste the token again.').waitFor()
  await page.getByText('The token lacks 3 characters at its end.').waitFor()
  await expectAccessibleInBothSchemes(page)

  const answer = await askAsMeta(inboundUrl, verifyToken)
  expect([answer.status, await answer.text()]).toEqual([200, '1158201444'])
  await page.getByRole('heading', { name: 'Meta’s request is answered' }).waitFor()
  await rows.filter({ hasText: 'challenge, token right' }).waitFor()
  const subscribe = page.getByRole('list', { name: 'Steps at Meta' }).getByRole('listitem').nth(4)
  await subscribe.filter({ hasText: 'Subscribe to messages' }).waitFor()
  expect(await subscribe.getAttribute('data-current')).toBe('true')
  await expect.poll(() => current.textContent()).toMatch(/^Answered, \d/)
  expect(await page.getByText('had a different verify token').count()).toBe(0)

  // The newest is shown until another is chosen.
  await page.getByText('200 text/plain, hub.challenge sent back').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.getByText('The token lacks 3 characters at its end.').waitFor()
  const event = '{"object":"whatsapp","entry":[{"changes":[{"field":"messages","value":{}}]}]}'
  const posted = await fetch(inboundUrl, {
    ...{ method: 'POST', body: event },
    headers: { 'x-hub-signature-256': `sha256=${hmacHex(secret, event)}` },
  })
  expect(posted.status).toBe(200)
  await page.getByRole('heading', { name: 'Meta’s events can come in' }).waitFor()
  await page.getByRole('button', { name: '1 newer' }).press('Enter')
  await rows.filter({ hasText: 'signed event messages' }).waitFor()
  await page.getByText('messages, its proof is right.').waitFor()
  await subscribe.filter({ hasText: 'done' }).waitFor()
  await page
    .getByText(/^Verified \d/)
    .first()
    .waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('d')
  await expect.poll(() => page.getByLabel('Event name').first().inputValue()).toBe('messages')
  await go(`${path}/sender/activation`)
  await page.getByRole('button', { name: /^Start a workflow/ }).waitFor()
  await page.keyboard.press('w')
  await expect.poll(() => page.url()).toContain('/workflows/new')
})

test('lets a provider ask again, in a narrow window', async () => {
  const { page, go, service } = await open({ width: 900, height: 600 })
  const { path, verifyToken, inboundUrl } = await createMeta(service.rest)
  expect((await askAsMeta(inboundUrl, verifyToken)).status).toBe(200)
  await go(`${path}/sender/activation`)
  await page.getByRole('heading', { name: 'Meta’s request is answered' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'What arrived · 1 attempt' }).press('Enter')
  await page.getByText('Later questions are answered too, as long as the sender stays Meta.').waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Let it ask again' }).press('Enter')
  await page.getByRole('heading', { name: 'Meta will call this URL once' }).waitFor()
  await page.keyboard.press('Escape')
  const card = page.getByRole('region', { name: 'Switch it on at Meta' })
  await card.getByText('Waiting', { exact: true }).waitFor()
})

test('says that the state of an activation could not be read', async () => {
  const { page, go, service } = await open()
  const { path, verifyToken, inboundUrl } = await createMeta(service.rest)
  expect((await askAsMeta(inboundUrl, verifyToken)).status).toBe(200)
  const failing = '**/rpc/connections/senderActivation'
  await page.route(failing, route => route.fulfill({ status: 500, body: '{}' }))
  await go(`${path}/sender/activation`)
  await page.getByText('The state of the activation could not be read').waitFor()
  await page.getByRole('option', { name: 'challenge, token right' }).waitFor()
  await page.unroute(failing)
  await askAgain(
    page.getByRole('button', { name: 'Try again' }),
    page.getByRole('heading', { name: 'Meta’s request is answered' }),
  )
})

test('asks for nothing to switch on where a provider asks nothing', async () => {
  const { page, go, service } = await open()
  const { connectionId } = await createConnection(service.rest, { sender: { scheme: 'github' } })
  await go(`/connections/${connectionId}/sender/activation`)
  await page.getByText('GitHub asks nothing before it sends.').waitFor()
  await expectAccessibleInBothSchemes(page)
})

test('shows which event a redelivery started again', async () => {
  const { page, go, service } = await open()
  const { rest } = service
  const { connectionId, credentials } = await createConnection(rest, {
    ...{ persistEvents: true, sender: { scheme: 'github', redelivery: 'start' } },
  })
  await rest('PUT', `/connections/${connectionId}/sender/secret`, { secret })
  await rest('POST', '/workflows', {
    ...{ name: 'Failing', trigger: { type: 'external.event', connectionId, eventName: null } },
    steps: [{ key: 'end', type: 'stop', outcome: 'failed', message: 'no' }],
  })
  const deliver = () =>
    fetch(credentials.inboundUrl, {
      ...{ method: 'POST', body: '{"ref":"main"}' },
      headers: {
        ...{ 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': 'd-1' },
        'X-Hub-Signature-256': `sha256=${hmacHex(secret, '{"ref":"main"}')}`,
      },
    })
  expect((await deliver()).status).toBe(200)
  const failed = async () => (await rest('GET', '/runs?status=failed')).text
  await expect.poll(failed).toContain('run_')
  expect((await deliver()).status).toBe(200)
  await go(`/connections/${connectionId}/activity`)
  await page.getByRole('option', { name: /redelivery, started 1 run/ }).click()
  await page.getByText('Started again', { exact: true }).waitFor()
  await page.getByText('It started 1 run of that event again.').waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('link', { name: /^evt_/ }).press('Enter')
  await page.getByText('Raised', { exact: true }).waitFor()
})
