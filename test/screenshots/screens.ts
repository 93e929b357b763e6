import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { brokenImport } from '../support/broken-import.ts'
import { showActivation } from './activation-demo.ts'
import type { Demo } from './demo.ts'
import { acmeOrders, knowledgeFiles, repositoriesApi, triedUrls, withServers } from './demo-data.ts'

export type Screen = {
  readonly name: string
  /** Without its `#`; `{acme}` is the id of the connection with the most to see. */
  readonly path: string
  /** Prepares the page for the picture, and waits until it is ready. */
  readonly prepare?: (page: Page, demo: Pick<Demo, 'url' | 'rest'>) => Promise<unknown>
  /** Whether it shows a service that nobody has used yet. */
  readonly empty?: boolean
}

async function typeImport(page: Page, text: string): Promise<void> {
  await page.keyboard.press('i')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').first().click()
  await page.keyboard.insertText(text)
}

/** Goes to the operations of a document, and makes one placeholder a constant. */
async function chooseOperations(page: Page): Promise<void> {
  await typeImport(page, JSON.stringify(repositoriesApi, null, 2))
  await page.getByRole('button', { name: 'Choose operations' }).click()
  await page.getByRole('radiogroup', { name: 'owner is' }).getByText('Constant').click()
}

async function openConversation(page: Page, title: string): Promise<void> {
  const link = page.getByRole('link', { name: title })
  const all = page.getByRole('button', { name: 'All conversations (esc)' })
  await link.or(all).first().waitFor()
  // A narrow window shows one pane.
  if (await all.isVisible()) await all.click()
  await link.click()
  await page.getByRole('heading', { name: title }).waitFor()
}

/** Describes how a parcel service signs, and pastes a request of it. */
async function describeParcels(page: Page, signed: string): Promise<void> {
  const body = '{"type":"parcel.delivered","data":{"parcel":"PKT-20418","signed_by":"M. Okafor"}}'
  const seconds = String(Math.floor(Date.now() / 1000))
  const secret = 'pk_live_7Yd2Qm5TzR0c'
  const digest = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  await page.getByRole('button', { name: 'Start from' }).click()
  await page.getByRole('menuitem', { name: 'Custom Connection' }).click()
  await page.getByLabel('Signature header').fill('x-pakket-signature')
  await page.getByLabel('Prefix').first().fill('v1=')
  await page.getByLabel('Signed text').fill(signed)
  await page.getByLabel('Timestamp header').fill('x-pakket-time')
  await page.getByRole('combobox', { name: 'Unit and window' }).click()
  await page.getByRole('option', { name: 'Seconds', exact: true }).click()
  await page.getByLabel('Field with the event name').fill('type')
  await page.getByLabel('Signing secret', { exact: true }).fill(secret)
  await pasteRequest(page, `x-pakket-time: ${seconds}\nx-pakket-signature: v1=${digest}\n\n${body}`)
}

/** Pastes a request to try. A narrow window, which shows one pane, then shows that of the request. */
async function pasteRequest(page: Page, request: string): Promise<void> {
  const more = page.getByRole('button', { name: 'Try', exact: true })
  if (await more.isVisible()) await more.click()
  await page.getByLabel('Request', { exact: true }).fill(request)
}

/** Returns a list of events as SendGrid posts it, signed with another key. */
function mailEvents(): string {
  const name = 'x-twilio-email-event-webhook'
  const signature =
    'MEUCIGHQ7gAAkeSNQ8mZ8vJ3ZlEJwQd4UuYZJc0dJ0v1x2cYAiEA1Yk0cQkF0m6tZ9pQ2c8v0b1w3d4e5f6g7h8i9j0knUg='
  const body = JSON.stringify(
    ['delivered', 'open', 'bounce'].map((event, index) => ({ event, sg_event_id: `ZGVsaXZlcmVk${index}` })),
  )
  return `${name}-timestamp: ${Math.floor(Date.now() / 1000)}\n${name}-signature: ${signature}\n\n${body}`
}

/** Chooses the preset of a provider; a narrow window shows the list on its own. */
async function chooseScheme(page: Page, title: string): Promise<void> {
  const toList = page.getByRole('button', { name: 'Scheme', exact: true })
  const search = page.getByRole('searchbox', { name: 'Search: How this sender signs' })
  await toList.or(search).first().waitFor()
  if (await toList.isVisible()) await toList.click()
  await search.fill(title)
  await page.getByRole('radio', { name: title }).click()
  if (await search.isVisible()) await search.fill('')
}

/** Shows the preview of a document whose operations need three servers. */
async function previewServers(page: Page): Promise<void> {
  await typeImport(page, JSON.stringify(withServers, null, 2))
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('region', { name: 'Servers' }).waitFor()
}

/** Opens the receiver check of an action, with consent. */
async function showReceiverForm(page: Page): Promise<void> {
  const endpoint = page.getByRole('combobox', { name: 'Endpoint' })
  await endpoint.click()
  await page.getByRole('option', { name: 'Resend an invoice' }).click()
  await page.getByLabel('order_id').fill('ORD-TEST-1')
  await page.getByRole('checkbox', { name: /do no harm/ }).check()
}

async function checkReceiver(page: Page): Promise<void> {
  await showReceiverForm(page)
  await page.getByRole('button', { name: /^Fire 15/ }).click()
  await page.getByText(/checks fail/).waitFor()
}

/** Every screen, under the name of the design's picture of it where there is one. */
export const screens: readonly Screen[] = [
  { name: '01-connections', path: '/connections' },
  { name: '01b-connections-empty', path: '/connections', empty: true },
  {
    name: '02-overview',
    path: '/connections/{acme}',
    prepare: page => page.getByText('Run it and watch this line').waitFor(),
  },
  {
    name: '28-sender-scheme',
    path: '/connections/{acme}/sender',
    async prepare(page) {
      await describeParcels(page, '{{timestamp}}.{{body}}')
      await page.getByText('Verified').waitFor()
    },
  },
  {
    name: '28c-scheme-fails',
    path: '/connections/{acme}/sender',
    async prepare(page) {
      await describeParcels(page, '{{body}}')
      await page.getByText('The sender signs the time too').waitFor()
    },
  },
  {
    name: '36-sender-presets',
    path: '/connections/{acme}/sender',
    async prepare(page) {
      await chooseScheme(page, 'Meta')
      await page.getByText('It signs').waitFor()
    },
  },
  {
    name: '36c-sender-public-key',
    path: '/connections/{acme}/sender',
    async prepare(page) {
      await chooseScheme(page, 'SendGrid')
      await page.getByRole('textbox', { name: 'Public key' }).waitFor()
      await pasteRequest(page, mailEvents())
      await page.getByRole('status').filter({ hasText: 'Signature differs' }).waitFor()
      const back = page.getByRole('button', { name: 'Back to the fields' })
      if (await back.isVisible()) await back.click()
      await page.getByRole('table', { name: 'Items of the last request' }).scrollIntoViewIfNeeded()
    },
  },
  {
    name: '36d-sender-unsigned',
    path: '/connections/{acme}/sender',
    async prepare(page) {
      await chooseScheme(page, 'Event Grid')
      await page.getByText('Anyone who knows the URL').first().waitFor()
    },
  },
  {
    name: '03-actions-test',
    path: '/connections/{acme}/actions',
    async prepare(page) {
      await page.getByText('Create a refund').first().click()
      await page.getByRole('tab', { name: 'Test', exact: true }).click()
      await page.getByText('rf_8Q2mX4').first().waitFor()
      await page.getByText('SUP-3312').first().waitFor()
    },
  },
  {
    name: '25-cases',
    path: '/connections/{acme}/actions',
    async prepare(page) {
      await page.getByText('Create a refund').first().click()
      await page.getByRole('tab', { name: /^Cases/ }).click()
      await page.getByRole('option', { name: /Refund in part/ }).click()
      await page.getByRole('heading', { name: /amount.value is/ }).waitFor()
    },
  },
  {
    name: '25b-save-case',
    path: '/connections/{acme}/actions',
    async prepare(page) {
      await page.getByText('Create a refund').first().click()
      await page.getByRole('tab', { name: 'Test', exact: true }).click()
      await page.getByText('rf_8Q2mX4').first().waitFor()
      await page.getByRole('button', { name: /^Save as case/ }).click()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Refund in part again')
    },
  },
  {
    name: '03b-actions-definition',
    path: '/connections/{acme}/actions',
    async prepare(page) {
      await page.getByText('Create a refund').first().click()
      await page.getByRole('tab', { name: 'Definition', exact: true }).click()
      await page.getByLabel('Description').first().waitFor()
    },
  },
  {
    name: '03c-actions-table',
    path: '/connections/{acme}/actions',
    prepare: page => page.getByText('Look up an order').first().waitFor(),
  },
  {
    name: '04-events',
    path: '/connections/{acme}/events',
    async prepare(page) {
      await page.getByRole('button', { name: /order\.paid/ }).click()
      await page.getByText('Valid JSON').waitFor()
      // A narrow window shows one pane.
      const pane = page.getByRole('region', { name: 'Send a test event' })
      if (!(await pane.isVisible())) return
      await pane.getByRole('button', { name: 'Send test event' }).click()
      await page.getByText('Signature verified').waitFor()
    },
  },
  {
    name: '04b-events-platform',
    path: '/connections/{acme}/events?eventType=new',
    async prepare(page) {
      await page.getByRole('button', { name: 'Platform event' }).click()
      await page.getByRole('menuitem', { name: /conversation/ }).click()
      await page.getByText('Valid JSON').waitFor()
    },
  },
  {
    name: '05-activity-rejected',
    path: '/connections/{acme}/activity',
    async prepare(page) {
      await page
        .getByRole('option', { name: /Rejected/ })
        .first()
        .click()
      await page.getByText('Only you see this').waitFor()
    },
  },
  {
    name: '05b-activity-event',
    path: '/connections/{acme}/activity?show=inbound',
    async prepare(page) {
      await page
        .getByRole('option', { name: /order\.paid/ })
        .first()
        .click()
      await page.getByText('maya.lindqvist@example.com').first().waitFor()
    },
  },
  { name: '24-activity', path: '/activity' },
  { name: '21c-receiver-start', path: '/connections/{acme}/check', prepare: showReceiverForm },
  { name: '21-receiver-check', path: '/connections/{acme}/check', prepare: checkReceiver },
  {
    name: '21b-receiver-report',
    path: '/connections/{acme}/check',
    async prepare(page) {
      await checkReceiver(page)
      await page.getByRole('button', { name: 'Share report' }).click()
      await page.getByText('# Receiver check').waitFor()
    },
  },
  {
    name: '06-import-errors',
    path: '/connections',
    async prepare(page) {
      await typeImport(page, brokenImport)
      await page
        .getByText(/2 errors/)
        .first()
        .waitFor()
    },
  },
  {
    name: '06b-import-preview',
    path: '/connections',
    async prepare(page) {
      await typeImport(page, JSON.stringify(acmeOrders('https://api.acme-erp.com'), null, 2))
      await page.getByRole('button', { name: 'Preview' }).click()
      await page.getByText('to create').first().waitFor()
    },
  },
  {
    name: '35-import-operations',
    path: '/connections',
    async prepare(page) {
      await chooseOperations(page)
      await page.getByLabel('Value of owner').fill('northwind')
      await page.getByText('1 constant, 6 parameters').first().waitFor()
    },
  },
  {
    name: '35c-import-sign-in',
    path: '/connections',
    async prepare(page) {
      await chooseOperations(page)
      await page.getByRole('button', { name: 'Preview' }).click()
      await page.getByRole('combobox', { name: 'Sign-in' }).waitFor()
    },
  },
  {
    name: '35d-import-servers',
    path: '/connections',
    async prepare(page) {
      await previewServers(page)
      await page.getByRole('region', { name: 'Servers' }).scrollIntoViewIfNeeded()
    },
  },
  {
    name: '09-palette',
    path: '/connections/{acme}/activity',
    async prepare(page) {
      await page.getByRole('tab', { name: 'Activity', selected: true }).waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('refund')
      await page.getByRole('option', { name: /Create a refund/ }).waitFor()
    },
  },
  {
    name: '10-settings',
    path: '/settings/listener',
    prepare: page => page.getByText('None in the last 7 days.').waitFor(),
  },
  {
    name: '10c-settings-webhook',
    path: '/settings/webhook',
    prepare: page => page.getByText('Last deliveries').waitFor(),
  },
  {
    name: '10b-settings-environment',
    path: '/settings/environment',
    prepare: page => page.getByText('ACME_TENANT').first().waitFor(),
  },
  {
    name: '10c-settings-public-url',
    path: '/settings/public-url',
    prepare: page => page.getByRole('heading', { name: 'Get a public URL' }).waitFor(),
  },
  {
    name: '22-watch',
    path: '/alerts',
    async prepare(page) {
      await page
        .getByRole('table', { name: 'Connections' })
        .getByText(/^of \d+$/)
        .first()
        .waitFor()
      await page.keyboard.press('F8')
      await page.getByRole('region', { name: 'Connection', exact: true }).getByLabel('Alert when').waitFor()
    },
  },
  {
    name: '32-metrics',
    path: '/settings/monitoring',
    prepare: page => page.getByText('A run is due and has not begun for').waitFor(),
  },
  {
    name: '10d-settings-data-folder',
    path: '/settings/data-folder',
    prepare: page => page.getByRole('heading', { name: 'Backup', exact: true }).waitFor(),
  },
  {
    name: '07-workflow',
    path: '/workflows',
    async prepare(page) {
      await page.getByText('Paid order: reserve and notify').first().click()
      await page.keyboard.press('Enter')
      await page.getByText('Reserve stock').first().click()
    },
  },
  {
    name: '08-assistant',
    path: '/assistant',
    async prepare(page) {
      await page.getByRole('tab', { name: 'VS Code' }).click()
      await page.getByText('"servers"').waitFor()
      await page.getByText('VS Code is connected').waitFor()
      await page.getByText('look_up_order').first().waitFor()
      // A narrow window shows one pane.
      const tools = page.getByRole('region', { name: 'Tools it sees' })
      if (await tools.isVisible()) await tools.getByRole('option').first().waitFor()
    },
  },
  {
    name: '08c-assistant-first-call',
    path: '/assistant',
    async prepare(page) {
      const first = page.getByRole('region', { name: 'First call' })
      await first.getByRole('button', { name: 'Call with curl' }).click()
      await first.scrollIntoViewIfNeeded()
    },
  },
  {
    name: '08b-assistant-empty',
    path: '/assistant',
    empty: true,
    prepare: page => page.getByText('No calls yet').waitFor(),
  },
  {
    name: '37-tools-on-demand',
    path: '/assistant',
    async prepare(page) {
      await page.getByRole('heading', { name: 'Create access' }).waitFor()
      // A narrow window shows one pane.
      const narrow = page.getByRole('button', { name: 'Tools', exact: true })
      if (await narrow.isVisible()) await narrow.click()
      const tools = page.getByRole('region', { name: 'Tools it sees' })
      await tools.getByText('Find tools when needed').click()
      await tools.getByText('for three tools').waitFor()
    },
  },
  {
    name: '11-workflows',
    path: '/workflows',
    prepare: page => page.getByText('Events that start nothing').waitFor(),
  },
  {
    name: '11b-workflows-empty',
    path: '/workflows',
    empty: true,
    prepare: page => page.getByRole('button', { name: 'Start from nothing' }).waitFor(),
  },
  {
    name: '12-runs',
    path: '/workflows/runs?status=waiting',
    async prepare(page) {
      await page.getByText('ORD-20414').first().click()
      await page.getByText('Waiting until').waitFor()
    },
  },
  {
    name: '13-conversation',
    path: '/assistant/conversation',
    async prepare(page) {
      await openConversation(page, 'Damaged USB-C cables')
      await page.getByRole('article', { name: 'Call of look_up_order' }).getByRole('button').click()
      await page.getByRole('tree', { name: 'Result' }).waitFor()
      const end = page.getByRole('button', { name: 'To the end' })
      if (await end.isVisible()) await end.click()
    },
  },
  {
    name: '13b-conversation-empty',
    path: '/assistant/conversation',
    empty: true,
    prepare: page => page.getByText('Not running').waitFor(),
  },
  {
    name: '13c-conversation-answer',
    path: '/assistant/conversation',
    async prepare(page) {
      await openConversation(page, 'Damaged cables, again')
      await page.getByText('for both cables').waitFor()
    },
  },
  {
    name: '14-agent-widget',
    path: '/agent/widget',
    async prepare(page) {
      await page.getByLabel('Bubble background').fill('#0B6E63')
      await page.getByLabel('Header background').fill('#F2A65A')
      await page.getByLabel('Chat background').fill('#F7F5F0')
      await page.getByText('Open by itself').click()
      await page.getByLabel('Delay in milliseconds').fill('4000')
      await page.getByLabel('Logo URL').fill('https://cdn.northwind.example/mark.svg')
    },
  },
  {
    name: '15-agent-voice',
    path: '/agent/voice',
    async prepare(page) {
      await page.getByLabel('Silence timeout', { exact: true }).fill('750')
      await page.getByLabel('Silence timeout in the example').press('ArrowLeft')
      await page.getByLabel('Accent').fill('Scottish')
    },
  },
  {
    name: '16-agent-crawler',
    path: '/agent/crawler',
    async prepare(page) {
      await page.getByLabel('Start URL').waitFor()
      const tryButton = page.getByRole('button', { name: 'Try', exact: true })
      if (await tryButton.isVisible()) await tryButton.click()
      await page.getByRole('button', { name: 'Paste URLs' }).first().click()
      await page.getByRole('dialog').getByLabel('URLs').fill(triedUrls.join('\n'))
      await page.keyboard.press('Control+Enter')
      await page.getByRole('row', { name: /archive/ }).click()
    },
  },
  {
    name: '16b-agent-crawler-empty',
    path: '/agent/crawler',
    empty: true,
    prepare: page => page.getByLabel('Start URL').waitFor(),
  },
  {
    name: '17-agent-calendar',
    path: '/agent/calendar',
    async prepare(page) {
      const from = page.getByRole('textbox', { name: 'Thursday from' })
      await from.fill('11:00')
      await page.getByRole('textbox', { name: 'Thursday to' }).fill('19:00')
      await page.getByRole('heading', { name: 'Calendar' }).last().click()
      const slotsButton = page.getByRole('button', { name: 'Slots', exact: true })
      if (await slotsButton.isVisible()) return
      await page
        .getByRole('button', { name: /Thursday.*bookable/ })
        .first()
        .click()
    },
  },
  {
    name: '18-agent-languages',
    path: '/agent/languages',
    async prepare(page) {
      const cell = page.getByRole('row', { name: /^refund_refused/ }).getByRole('button', { name: 'Missing' })
      await cell.first().click()
      await page.keyboard.type('Diese Bestellung können wir ni')
    },
  },
  {
    name: '18b-agent-languages-empty',
    path: '/agent/languages',
    empty: true,
    prepare: page => page.getByRole('button', { name: 'greeting' }).waitFor(),
  },
  {
    name: '19-agent-actions',
    path: '/agent/actions',
    async prepare(page) {
      await page.getByRole('button', { name: /keyword:refund/ }).click()
      await page.getByLabel('Submit URL').waitFor()
      const show = page.getByRole('button', { name: 'Try', exact: true })
      // A narrow window shows one pane.
      if (await show.isVisible()) await show.click()
      await page.getByLabel('Sentence', { exact: true }).fill('Hello, can I get a refund for ORD-20391?')
      await page.getByRole('textbox', { name: 'Order id (order_id)' }).fill('ORD-20391')
    },
  },
  {
    name: '20-agent-knowledge',
    path: '/agent/knowledge',
    async prepare(page) {
      const empty = page.getByText('No files yet')
      const policy = page.getByRole('link', { name: 'Returns and refunds policy.txt' })
      await empty.or(policy).first().waitFor()
      if (await empty.isVisible()) {
        const files = page.getByLabel('Files to add')
        const asText = ([name, text]: readonly [string, string]) => ({
          name,
          mimeType: 'text/plain',
          buffer: Buffer.from(text),
        })
        await files.setInputFiles(knowledgeFiles.map(asText))
        await page.getByText('was not added').waitFor()
      }
      await policy.click()
      await page.getByLabel('Find in the text').fill('damaged')
      await page.locator('mark').first().waitFor()
    },
  },
  {
    name: '19b-agent-responses',
    path: '/agent/actions',
    async prepare(page) {
      await page.getByRole('button', { name: /Order is late/ }).click()
      await page.getByRole('textbox', { name: 'Text', exact: true }).click()
      await page.keyboard.press('End')
      await page.keyboard.type(' {')
      await page.getByRole('listbox').waitFor()
    },
  },
  {
    name: '19c-agent-actions-empty',
    path: '/agent/actions',
    empty: true,
    prepare: page => page.getByText('None yet. A keyword can open a form.').waitFor(),
  },
  {
    name: '09b-shortcuts',
    path: '/connections/{acme}',
    async prepare(page) {
      await page.getByRole('tab', { name: 'Overview', selected: true }).waitFor()
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
    },
  },
  // Last, because they add a connection, which the other pictures do not have.
  {
    name: '36b-activation',
    path: '/connections',
    prepare: (page, demo) => showActivation(page, demo, 'waiting'),
  },
  {
    name: '36b-activation-answered',
    path: '/connections',
    prepare: (page, demo) => showActivation(page, demo, 'answered'),
  },
  {
    name: '36b-activation-verified',
    path: '/connections',
    prepare: (page, demo) => showActivation(page, demo, 'verified'),
  },
]

/** Those shown in the README, at 1280 × 800. */
export const ofReadme: readonly { readonly name: string; readonly scheme: 'light' | 'dark' }[] = [
  { name: '01-connections', scheme: 'light' },
  { name: '03-actions-test', scheme: 'light' },
  { name: '05-activity-rejected', scheme: 'dark' },
]
