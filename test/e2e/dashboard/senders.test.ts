import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { hmacHex } from '../../signing/sender.ts'
import { createConnection } from '../../support/rest-client.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { chooseByKey, dashboardTests } from './fixture.ts'

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
  await page.getByRole('textbox', { name: 'Signing secret' }).fill(secret)
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
  await page.getByRole('textbox', { name: 'Signing secret' }).fill(`${github}?`)
  await page.getByRole('button', { name: 'Try' }).press('Enter')
  await expect.poll(() => stateOf(page, 'Signature')).toBe('failed')
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Escape')
  await page.getByRole('textbox', { name: 'Signing secret' }).fill(github)
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
  await page.getByRole('textbox', { name: 'Token' }).fill('glpat-31b7')
  await page.getByText('1 problem to solve').waitFor()
  await page.getByRole('checkbox', { name: /Accept events with a fixed token/ }).press('Space')
  await page.getByText('1 problem to solve').waitFor({ state: 'hidden' })
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Accept unsigned events' }).waitFor({ state: 'hidden' })
  expect((await service.rest('GET', `/connections/${connectionId}`)).body).toMatchObject({
    sender: { scheme: 'gitlab' },
    hasSenderSecret: true,
  })
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

test('waits for the question that a provider asks once', async () => {
  const { page, go, service } = await open()
  const { connectionId, credentials } = await createConnection(service.rest, { name: 'WhatsApp orders' })
  await service.rest('PATCH', `/connections/${connectionId}`, { sender: { scheme: 'meta' } })
  await go(`/connections/${connectionId}/sender`)
  const activation = page.getByRole('region', { name: /^Switch it on at Meta/ })
  await activation.getByText('Waiting').waitFor()
  await activation.getByRole('button', { name: 'Copy verify token' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  const { body } = await service.rest('GET', `/connections/${connectionId}/credentials`)
  const { verifyToken } = z.object({ verifyToken: z.string() }).parse(body)
  const ask = (token: string) =>
    fetch(
      `${credentials.inboundUrl}?${new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': token })}`,
    )
  expect((await ask('another')).status).toBe(401)
  const answer = await ask(verifyToken)
  expect([answer.status, await answer.text()]).toEqual([200, '1158201444'])
  await activation.getByText('Answered', { exact: true }).waitFor()
  await activation.getByRole('button', { name: 'Let it ask again' }).press('Enter')
  await activation.getByText('Waiting').waitFor()
})
