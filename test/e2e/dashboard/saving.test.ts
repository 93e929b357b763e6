import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAction } from '../../support/actions.ts'
import { createConnection } from '../../support/rest-client.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests, holdCalls } from './fixture.ts'

const { open, sharedService } = dashboardTests()

test.each([
  {
    form: 'Overview',
    path: '/connections/{id}',
    procedure: 'connections/update',
    first: { label: 'Name', value: ' Shop ' },
    next: { label: 'Base URL', value: 'https://api.example.com' },
  },
  {
    form: 'Limits',
    path: '/settings/limits',
    procedure: 'settings/update',
    first: { label: 'Open connections', value: '200' },
    next: { label: 'Largest body', value: '3' },
  },
  {
    form: 'Retention',
    path: '/settings/retention',
    procedure: 'settings/update',
    first: { label: 'Events', value: '500' },
    next: { label: 'Days', value: '7' },
  },
  {
    form: 'Public URL',
    path: '/settings/public-url',
    procedure: 'workspaces/update',
    first: { label: 'Public URL', value: 'https://hooks.example.com' },
    next: { label: 'Public URL', value: 'https://hooks.example.com/in' },
  },
])(
  'text typed into $form during a save stays as an unsaved change',
  async ({ path, procedure, first, next }) => {
    const service = await sharedService()
    const { connectionId } = await createConnection(service.rest, { name: 'Acme' })
    const { page } = await open({ at: service, path: path.replace('{id}', connectionId) })
    const field = (label: string) => page.getByRole('textbox', { name: label, exact: true })
    const { held, letGo } = await holdCalls(page, procedure)
    await field(first.label).fill(first.value)
    await page.keyboard.press('Control+s')
    await held()
    await field(next.label).fill(next.value)
    const answered = page.waitForResponse(`**/rpc/${procedure}`)
    await letGo()
    await (await answered).finished()
    // The second change can be saved when the first save has ended.
    const save = page.getByRole('button', { name: 'Save' })
    await save.and(page.locator(':enabled:not([data-loading])')).waitFor()
    await expect.poll(() => field(next.label).inputValue()).toContain(next.value)
    await save.click()
    await save.waitFor({ state: 'detached' })
    await expect.poll(() => field(next.label).inputValue()).toContain(next.value)
    if (first.label !== next.label)
      await expect.poll(() => field(first.label).inputValue()).toContain(first.value.trim())
  },
)

test.each([
  {
    form: 'a connection',
    path: '/connections/{connection}',
    label: 'Base URL',
    rest: ['PATCH', '/connections/{connection}', 'baseUrl', 'https://theirs.example'],
    other: { name: 'Acme two' },
    names: 'base URL',
  },
  {
    form: 'an action',
    path: '/connections/{connection}/actions?action={action}',
    label: 'Path',
    rest: ['PATCH', '/connections/{connection}/actions/{action}', 'path', '/theirs'],
    other: { description: 'Also asked by others.' },
    names: 'Path',
  },
  {
    form: 'an event type',
    path: '/connections/{connection}/events?eventType={type}',
    label: 'Label',
    rest: ['PATCH', '/connections/{connection}/event-types/{type}', 'label', 'Theirs'],
    other: { samplePayload: { total: 1 } },
    names: 'Label',
  },
  {
    form: 'the agent',
    path: '/agent/voice',
    label: 'Accent',
    rest: ['PUT', '/platform/voice', 'accent', 'Theirs'],
    other: { language: 'de' },
    names: 'accent',
  },
] as const)(
  '$form says that a field was also changed elsewhere, and lets the user choose',
  async ({ path, label, rest: [method, restPath, field, theirs], other, names }) => {
    const service = await sharedService()
    const { connectionId } = await createConnection(service.rest, { name: 'Acme' })
    const { actionId } = await createAction(service.rest, connectionId)
    const { body } = await service.rest('POST', `/connections/${connectionId}/event-types`, {
      eventName: 'order.paid',
    })
    const { eventTypeId } = z.object({ eventTypeId: z.string() }).parse(body)
    const ids = { '{connection}': connectionId, '{action}': actionId, '{type}': eventTypeId }
    const filled = (text: string) =>
      Object.entries(ids).reduce((done, [name, id]) => done.replace(name, id), text)
    const saveElsewhere = async (fields: object) =>
      expect((await service.rest(method, filled(restPath), fields)).status).toBe(200)
    const { page } = await open({ at: service, path: filled(path) })
    const input = page.getByRole('textbox', { name: label, exact: true })
    const told = page.getByText(`Also changed elsewhere: ${names}. Save replaces that, Discard shows it.`)
    const mine = theirs.replace(/theirs/, 'mine').replace('Theirs', 'Mine')

    await input.fill(mine)
    await saveElsewhere(other)
    await page.getByRole('button', { name: 'Save' }).waitFor()
    await saveElsewhere({ ...other, [field]: theirs })
    await told.waitFor()
    await expectAccessibleInBothSchemes(page)
    expect(await input.inputValue()).toBe(mine)
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => input.inputValue()).toBe(theirs)

    await input.fill(mine)
    await saveElsewhere({ ...other, [field]: `${theirs}2` })
    await told.waitFor()
    await page.keyboard.press('Control+s')
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    // Event types have a list only.
    const { text } = await service.rest('GET', filled(restPath.replace('/{type}', '')))
    expect(text).toContain(`"${field}":"${mine}"`)
  },
)
