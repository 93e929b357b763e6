import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests, type OpenOptions } from './fixture.ts'

const { open } = dashboardTests()

const action = (word: string, name: string, fields: readonly string[]) => ({
  trigger: `keyword:${word}`,
  action: name,
  form: { fields, submitUrl: `http://forms.example/${word}` },
})
const actions = [
  action('refund', 'open_refund', ['order_id', 'reason', 'email']),
  action('invoice', 'bill', []),
]
const responses = [
  { key: 'Order is late', text: 'Sorry {customer_name}, {order_id} is late.' },
  { key: 'Out of hours', text: 'We answer from 9' },
]

async function openActions(isFilled = true, options: OpenOptions = {}) {
  const dashboard = await open(options)
  const { rest } = dashboard.service
  if (isFilled) {
    await rest('PUT', '/platform/conversation-actions', actions)
    await rest('PUT', '/platform/text-responses', responses)
  }
  await dashboard.go('/agent/actions')
  await dashboard.page.getByRole('region', { name: 'Actions, responses and keywords' }).waitFor()
  const saved = async (shape: string) => (await rest('GET', `/platform/${shape}`)).body
  return { ...dashboard, saved }
}

const rowOf = (page: Page, name: RegExp) =>
  page.getByRole('region', { name: 'Actions, responses and keywords' }).getByRole('button', { name })
const tags = (page: Page) => page.locator('[data-tag]').allTextContents()

async function save(page: Page): Promise<void> {
  await page.keyboard.press('Control+s')
  await page.getByText('Actions saved').waitFor()
}

test('the page is accessible, empty and filled, light and dark', async () => {
  const { page, service, go } = await openActions(false)
  await page.getByText('None yet. A keyword can open a form.').waitFor()
  await page.getByLabel(/^Answer to STOP/).waitFor()
  await expectAccessibleInBothSchemes(page)
  await service.rest('PUT', '/platform/conversation-actions', actions)
  await service.rest('PUT', '/platform/text-responses', responses)
  await go('/connections')
  await go('/agent/actions')
  await page.getByLabel('Submit URL').waitFor()
  await page.getByRole('textbox', { name: 'Sentence' }).fill('Can I get a refund?')
  await page.getByText('Starts keyword:refund, word 5 of 5').waitFor()
  await expectAccessibleInBothSchemes(page)
  await rowOf(page, /Order is late/).click()
  await page.getByRole('textbox', { name: 'Text', exact: true }).waitFor()
  await expectAccessibleInBothSchemes(page)
})

test('an action is made, its fields ordered by keyboard and pointer, its URL made safe, and saved', async () => {
  const { page, saved } = await openActions()
  await page.keyboard.press('n')
  await page.getByRole('menuitem', { name: 'Conversation action' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await page.getByLabel('Trigger').and(page.locator(':focus')).waitFor()
  const wrong = page.getByText('Write keyword: and a word, for example keyword:refund.')
  const mistakes = page.getByLabel('Has a mistake')
  await page.getByText('Unsaved: conversation actions').waitFor()
  // Nobody has written anything wrong yet.
  expect([await wrong.count(), await mistakes.count()]).toEqual([0, 0])
  expect(await page.getByText('to solve').count()).toBe(0)
  await page.keyboard.press('Control+s')
  await wrong.waitFor()
  await rowOf(page, /keyword:.*Has a mistake/).waitFor()
  await page.getByText('problems to solve').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Discard' }).click()
  await wrong.waitFor({ state: 'detached' })
  await page.keyboard.press('n')
  await page.getByRole('menuitem', { name: 'Conversation action' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await page.getByLabel('Trigger').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('c')
  await mistakes.waitFor()
  await page.keyboard.type('all me')
  await page.keyboard.press('Tab')
  await page.keyboard.type('request_callback')
  await page.keyboard.press('Tab')
  await page.keyboard.type('name phone ')
  await page.keyboard.type('when')
  await page.keyboard.press('Enter')
  await page.keyboard.type('9pm,')
  await page.getByText('A field’s name has letters, digits and _, and no digit first.').waitFor()
  await page.getByRole('button', { name: 'Remove 9pm' }).click()
  await expect.poll(() => tags(page)).toEqual(['name', 'phone', 'when'])
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Alt+ArrowLeft')
  await page.keyboard.press('Alt+ArrowUp')
  await page.getByText('when is now 1 of 3').waitFor({ state: 'attached' })
  await expect.poll(() => tags(page)).toEqual(['when', 'name', 'phone'])
  const tag = (name: string) => page.getByRole('button', { name, exact: true })
  await tag('phone').dragTo(tag('name'))
  await expect.poll(() => tags(page)).toEqual(['when', 'phone', 'name'])

  await page.getByLabel('Submit URL').fill('http://forms.example/call')
  await page.getByText('What people write would travel unencrypted.').waitFor()
  await page.getByRole('button', { name: 'Use https' }).click()
  await page.getByText('What people write would travel unencrypted.').waitFor({ state: 'detached' })
  await expect
    .poll(() => page.getByRole('figure', { name: 'What is submitted' }).textContent())
    .toMatch(/"action": "request_callback",\s*"fields": \{\s*"when": "…",\s*"phone": "…",\s*"name": "…"/)
  await page.getByText('Unsaved: conversation actions').waitFor()
  await save(page)
  await expect
    .poll(() => saved('conversation-actions'))
    .toEqual([
      ...actions,
      {
        trigger: 'keyword:call me',
        action: 'request_callback',
        form: { fields: ['when', 'phone', 'name'], submitUrl: 'https://forms.example/call' },
      },
    ])

  // A field that is typed but not added is saved, too.
  await page.getByPlaceholder('Add field').click()
  await page.keyboard.type('note')
  await save(page)
  await expect.poll(() => tags(page)).toEqual(['when', 'phone', 'name', 'note'])
  await expect
    .poll(() => saved('conversation-actions'))
    .toMatchObject([{}, {}, { form: { fields: ['when', 'phone', 'name', 'note'] } }])
})

test('mistakes are reported at their fields, and all three shapes are saved together', async () => {
  const { page, saved } = await openActions()
  await page.getByLabel('Trigger').fill('INVOICE')
  await rowOf(page, /invoice.*Has a mistake/).click()
  await page.getByText('Another action has this trigger.').waitFor()
  await rowOf(page, /INVOICE/).click()
  await page.getByLabel('Trigger').fill('money')
  await page.getByText('Another action has this trigger.').waitFor({ state: 'detached' })
  await page.getByLabel('Submit URL').fill('forms')
  await page.getByText('Write an absolute URL that begins with https:// or http://.').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByLabel('Submit URL').fill('https://forms.example')

  await page.getByRole('button', { name: 'New' }).click()
  await page.getByRole('menuitem', { name: 'Text response' }).click()
  await page.getByLabel('Key', { exact: true }).fill('Thanks')
  await page.getByText('Write the answer.').waitFor()
  await page.getByRole('textbox', { name: 'Text', exact: true }).click()
  await page.keyboard.type('Thank you {cust')
  await page.getByRole('listbox').getByText('{customer_name}').waitFor()
  await page.keyboard.press('Enter')

  await rowOf(page, /^MENU/).click()
  const menu = page.getByLabel(/^Answer to MENU/)
  await menu.fill('')
  await page.getByText('Write the answer.').waitFor()
  await menu.fill('1 Order, 2 Łódź')
  await page.getByText('15 characters in 1 text message, because of characters outside').waitFor()
  await page.getByText('Unsaved: conversation actions, text responses, SMS keywords').waitFor()
  await save(page)
  await expect
    .poll(() => saved('conversation-actions'))
    .toMatchObject([
      { trigger: 'keyword:money', form: { submitUrl: 'https://forms.example' } },
      { trigger: 'keyword:invoice' },
    ])
  await expect
    .poll(() => saved('text-responses'))
    .toEqual([...responses, { key: 'Thanks', text: 'Thank you {customer_name}' }])
  await expect.poll(() => saved('sms-keywords')).toMatchObject({ menu: '1 Order, 2 Łódź' })

  await rowOf(page, /Thanks/).click()
  await page.getByRole('button', { name: 'More for Thanks' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Discard' }).click()
  await rowOf(page, /Thanks/).waitFor()
})

test('a sentence is tried as chat and as a text message, with sample values', async () => {
  const { page } = await openActions()
  await page.keyboard.press('Control+Enter')
  await page.keyboard.type('Stop, I want a Refund for two invoices')
  const pane = page.getByRole('region', { name: 'Try a sentence' })
  await pane.getByText('SMS keywords: chat does not use them').waitFor()
  await pane.getByText('Starts keyword:refund, word 5 of 8').waitFor()
  await pane.getByText('keyword:invoice is only part of a word').waitFor()
  await expect.poll(() => pane.locator('mark').allTextContents()).toEqual(['Refund'])

  await expect.poll(() => pane.getByText('no value').count()).toBe(1)
  await pane.getByRole('textbox', { name: 'Order id (order_id)' }).fill('ORD-20391')
  await expect
    .poll(() => page.getByRole('figure', { name: 'What is submitted' }).textContent())
    .toContain('"order_id": "ORD-20391"')
  await pane.getByText('ORD-20391', { exact: true }).waitFor()
  await pane.getByRole('button', { name: 'Sample values' }).click()
  await pane.getByRole('textbox', { name: 'customer_name' }).fill('Maya')
  await pane.getByText('no value').waitFor({ state: 'detached' })
  await expect
    .poll(() => pane.getByRole('list').last().textContent())
    .toContain('Sorry Maya, ORD-20391 is late.')

  await pane.locator('label', { hasText: 'SMS' }).click()
  await pane.getByText('Answers STOP, word 1 of 8').waitFor()
  await pane.getByText('keyword:refund does not start: STOP comes first').waitFor()
  await pane.getByText('You will get no more messages.').waitFor()
  await expect.poll(() => pane.locator('mark').allTextContents()).toEqual(['Stop'])
  await expectAccessible(page)
})

test('the list is filtered and walked with the arrows, and a narrow window shows one pane at a time', async () => {
  const { page } = await openActions()
  await page.keyboard.press('/')
  await page.keyboard.type('late')
  await rowOf(page, /invoice/).waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.getByRole('region', { name: 'Order is late' }).waitFor()

  await page.setViewportSize({ width: 900, height: 600 })
  await page.getByRole('button', { name: 'Back to the list' }).click()
  await page.getByRole('region', { name: 'Order is late' }).waitFor({ state: 'detached' })
  await rowOf(page, /refund/).click()
  await page.getByLabel('Submit URL').waitFor()
  await page.getByRole('button', { name: 'Try', exact: true }).click()
  await page.getByRole('textbox', { name: 'Sentence' }).fill('refund')
  await page.getByText('Starts keyword:refund, word 1 of 1').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Back', exact: true }).click()
  await page.getByLabel('Submit URL').waitFor()
})

test('an editor that replaces a plain field takes over its focus and its text', async () => {
  const { page } = await openActions(true, { own: true })
  const { promise: loaded, resolve: load } = Promise.withResolvers<void>()
  await page.route(/response-view/, async route => {
    await loaded
    await route.continue()
  })
  await rowOf(page, /Out of hours/).click()
  const text = page.getByRole('textbox', { name: 'Text', exact: true })
  await text.and(page.locator('textarea')).focus()
  await page.keyboard.press('End')
  await page.keyboard.type(' to 1')
  load()
  await text.and(page.locator('.cm-content:focus')).waitFor()
  await page.keyboard.type('7')
  await page.getByText('We answer from 9 to 17').first().waitFor()
})
