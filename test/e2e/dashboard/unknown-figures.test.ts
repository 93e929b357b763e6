import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createAction } from '../../support/actions.ts'
import { startCuttableProxy } from '../../support/cuttable-proxy.ts'
import { createConnection } from '../../support/rest-client.ts'
import { postInbound } from '../../support/service-fixture.ts'
import { dashboardTests } from './fixture.ts'

const { open, sharedService } = dashboardTests()

/** Texts that are untrue before the data is loaded: a zero, a “none”, a green “Following”. */
const untrue =
  /(?<![\w.:/%+-])0(?![\w.:%])|\bnone\b|\bnothing (has|was|yet|to)\b|^never$|\bno \w+( \w+)? yet\b|\bNot tested\b|\bFollowing\b|\bCopy the URL to start\b/im

const sections = ['listener', 'environment', 'retention', 'workspaces'] as const

/** A connection with an event, an action, an event type and a run, so that every “none” about it is untrue. */
async function busyService() {
  const service = await sharedService()
  const connection = await createConnection(service.rest, { name: 'Acme', persistEvents: true })
  const { connectionId } = connection
  await createAction(service.rest, connectionId, { headers: { 'X-Key': '{{API_KEY}}' } })
  await service.rest('POST', `/connections/${connectionId}/event-types`, {
    eventName: 'order.paid',
    label: 'Paid',
    sampleText: '{"id":1}',
  })
  await service.rest('PUT', '/environment/API_KEY', { value: 'a value of some length' })
  await service.rest('POST', '/workflows', {
    name: 'Tell the team',
    trigger: { type: 'external.event', connectionId },
    steps: [{ key: 'tell', type: 'notify', message: 'Paid' }],
  })
  await postInbound(connection.credentials, '{"event":"order.paid","data":{}}', Date.now())
  const tabs = ['', '/actions', '/events', '/activity'].map(tab => `/connections/${connectionId}${tab}`)
  const settings = sections.map(section => `/settings/${section}`)
  return { service, paths: ['/connections', ...tabs, '/workflows', '/workflows/runs', ...settings] }
}

/** Returns the text of the page without programs, and without the filters, whose counts are known. */
const written = async (page: Page): Promise<string> => {
  const text = await page.evaluate(
    `[...document.querySelectorAll('main, aside')].map(part => {
      const copy = part.cloneNode(true)
      for (const one of copy.querySelectorAll('figure, pre, [aria-hidden="true"], [aria-label="Status"], [aria-label="Show"]')) one.remove()
      return [...copy.querySelectorAll('*')].map(one => [...one.childNodes].filter(node => node.nodeType === 3).map(node => node.data).join('')).filter(Boolean).join('\\n')
    }).join('\\n')`,
  )
  return String(text)
}

/** Returns a script that leaves calls unanswered, in the page itself: intercepted, each screen is loaded without a cache. */
const neverAnswered = (answered: RegExp | null) => `{
  const { fetch } = window
  window.fetch = (input, init) => {
    const url = String(input.url ?? input)
    return url.includes('/rpc/') && !${answered}?.test(url) ? new Promise(() => {}) : fetch(input, init)
  }
}`

/** Lets as many seconds pass for the page. */
async function pass(page: Page, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) await page.clock.runFor(1000)
}

test.each([
  [
    'anything but the configuration',
    /\/rpc\/(connections|workspaces|service|settings|actions\/list|eventTypes|environment)/,
  ],
  ['anything', null],
] as const)(
  'no screen tells of zeros or nothing before the service has answered %s',
  async (_what, answered) => {
    const { service, paths } = await busyService()
    const { page, go } = await open({ at: service, own: true, loadsAhead: true })
    await page.clock.install()
    await page.addInitScript(neverAnswered(answered))
    await page.reload()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await pass(page, 3)
    for (const path of paths) {
      await go(path)
      await pass(page, 3)
      expect([path, untrue.exec(await written(page))?.[0]]).toEqual([path, undefined])
    }
  },
)

test('no screen tells of zeros or nothing while the service is down', async () => {
  const { service, paths } = await busyService()
  const proxy = await startCuttableProxy(service.dashboardUrl)
  const { page, go } = await open({ at: { ...service, dashboardUrl: proxy.url }, loadsAhead: true })
  await page.clock.install()
  await page.route('**/rpc/**', route => route.abort())
  proxy.cut()
  await pass(page, 2)
  await page.getByText('Reconnecting…').waitFor()
  for (const path of paths) {
    await go(path)
    await pass(page, 8)
    expect([path, untrue.exec(await written(page))?.[0]]).toEqual([path, undefined])
  }
})
