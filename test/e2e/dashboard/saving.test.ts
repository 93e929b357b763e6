import { expect, test } from 'vitest'
import { z } from 'zod'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
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

test('“Try again” saves the draft as it is by then, and goes once it is saved or discarded otherwise', async () => {
  const { page, service } = await open({ path: '/workflows/new' })
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  const save = page.getByRole('button', { name: 'Create workflow' })
  const failed = page.getByRole('alert').filter({ hasText: 'The workflow was not saved' })
  const names = async () => {
    const { body } = await service.rest('GET', '/workflows')
    return z
      .array(z.object({ name: z.string() }))
      .parse(body)
      .map(workflow => workflow.name)
  }
  /** Saves a name while the service fails. */
  async function fail(procedure: string, value: string) {
    await page.route(`**/rpc/workflows/${procedure}`, route => route.fulfill({ status: 500, body: '{}' }))
    await name.fill(value)
    await page.keyboard.press('Control+s')
    await failed.waitFor()
    await page.unrouteAll()
  }
  await fail('create', 'First')
  await save.click()
  await save.waitFor({ state: 'detached' })
  await failed.waitFor({ state: 'detached' })
  expect(await names()).toEqual(['First'])

  await page.getByRole('tab', { name: 'Settings' }).click()
  await fail('update', 'Second')
  await name.fill('Third')
  await failed.getByRole('button', { name: 'Try again' }).click()
  await page.locator('[data-save-bar]').waitFor({ state: 'detached' })
  await failed.waitFor({ state: 'detached' })
  expect(await names()).toEqual(['Third'])

  await fail('update', 'Fourth')
  await page.getByRole('button', { name: 'Discard' }).click()
  await failed.waitFor({ state: 'detached' })
  expect(await names()).toEqual(['Third'])
})

type Draft = {
  readonly form: string
  readonly path: string
  /** The field that both sides change. */
  readonly label: string
  readonly mine: string
  readonly theirs: string
  /** Where it is saved, and read if that is at another path. */
  readonly rest: readonly ['PATCH' | 'PUT', string, string?]
  /** The bodies of requests, of the field and of another one. */
  readonly field: (value: string) => object
  readonly other: object
  readonly names: string
  /** The procedures that save it, and that read it again when it has changed. */
  readonly procedures: readonly [string, string]
}

const drafts: readonly Draft[] = [
  {
    form: 'a connection',
    path: '/connections/{connection}',
    label: 'Base URL',
    mine: 'https://mine.example',
    theirs: 'https://theirs.example',
    rest: ['PATCH', '/connections/{connection}'],
    field: baseUrl => ({ baseUrl }),
    other: { name: 'Acme two' },
    names: 'base URL',
    procedures: ['connections/update', 'connections/get'],
  },
  {
    form: 'an action',
    path: '/connections/{connection}/actions?action={action}',
    label: 'Path',
    mine: '/mine',
    theirs: '/theirs',
    rest: ['PATCH', '/connections/{connection}/actions/{action}'],
    field: path => ({ path }),
    other: { description: 'Also asked by others.' },
    names: 'path',
    procedures: ['actions/update', 'actions/list'],
  },
  {
    form: 'an event type',
    path: '/connections/{connection}/events?eventType={type}',
    label: 'Label',
    mine: 'Mine',
    theirs: 'Theirs',
    // Event types have a list only.
    rest: ['PATCH', '/connections/{connection}/event-types/{type}', '/connections/{connection}/event-types'],
    field: label => ({ label }),
    other: { samplePayload: { total: 1 } },
    names: 'label',
    procedures: ['eventTypes/update', 'eventTypes/list'],
  },
  {
    form: 'limits',
    path: '/settings/limits',
    label: 'Open connections',
    mine: '200',
    theirs: '300',
    rest: ['PATCH', '/settings'],
    field: value => ({ maxConnections: Number(value) }),
    other: { maxBodyBytes: 4096 },
    names: 'open connections',
    procedures: ['settings/update', 'settings/get'],
  },
  {
    form: 'the retention',
    path: '/settings/retention',
    label: 'Events',
    mine: '500',
    theirs: '600',
    rest: ['PATCH', '/settings'],
    field: value => ({ defaultRetention: { maxEvents: Number(value), maxDays: 30 } }),
    other: { maxConnections: 77 },
    names: 'events',
    procedures: ['settings/update', 'settings/get'],
  },
  {
    form: 'the public URL',
    path: '/settings/public-url',
    label: 'Public URL',
    mine: 'https://mine.example',
    theirs: 'https://theirs.example',
    rest: ['PATCH', '/workspaces/default', '/workspaces'],
    field: publicBaseUrl => ({ publicBaseUrl }),
    other: { name: 'Southwind' },
    names: 'public URL',
    procedures: ['workspaces/update', 'workspaces/list'],
  },
  {
    form: 'a workflow',
    path: '/workflows/{workflow}?tab=settings',
    label: 'Name',
    mine: 'Mine',
    theirs: 'Theirs',
    rest: ['PATCH', '/workflows/{workflow}'],
    field: name => ({ name }),
    other: { concurrency: 7 },
    names: 'name',
    procedures: ['workflows/update', 'workflows/get'],
  },
  {
    form: 'the agent',
    path: '/agent/voice',
    label: 'Accent',
    mine: 'Mine',
    theirs: 'Theirs',
    rest: ['PUT', '/platform/voice'],
    field: accent => ({ accent }),
    other: { language: 'de' },
    names: 'accent',
    procedures: ['platform/voice/set', 'platform/agents'],
  },
]

/** Opens the form of a draft, with what changes its record from outside. */
async function openDraft({ path, label, rest: [method, restPath, listPath] }: Draft) {
  const service = await sharedService()
  const { connectionId } = await createConnection(service.rest, { name: 'Acme' })
  const { actionId } = await createAction(service.rest, connectionId)
  const { body } = await service.rest('POST', `/connections/${connectionId}/event-types`, {
    eventName: 'order.paid',
  })
  const { eventTypeId } = z.object({ eventTypeId: z.string() }).parse(body)
  const made = await service.rest('POST', '/workflows', {
    name: 'Tell',
    trigger: { type: 'external.event', connectionId: null, eventName: null },
  })
  const { workflowId } = z.object({ workflowId: z.string() }).parse(made.body)
  const ids = {
    ...{ '{connection}': connectionId, '{action}': actionId, '{type}': eventTypeId },
    '{workflow}': workflowId,
  }
  const filled = (text: string) =>
    Object.entries(ids).reduce((done, [name, id]) => done.replace(name, id), text)
  const { page } = await open({ at: service, path: filled(path) })
  const note = page.getByRole('status', { name: 'Changed elsewhere' })
  return {
    page,
    note,
    input: page.getByRole('textbox', { name: label, exact: true }),
    saveBar: page.getByRole('button', { name: 'Save', exact: false }),
    choose: (choice: 'Keep mine' | 'Use theirs') => note.getByRole('button', { name: choice }).click(),
    async saveElsewhere(fields: object) {
      const before = method === 'PUT' ? (await service.rest('GET', filled(restPath))).body : {}
      const { status } = await service.rest(method, filled(restPath), { ...Object(before), ...fields })
      expect(status).toBe(200)
    },
    /** Expects that these fields are saved. */
    async expectSaved(...fields: readonly object[]) {
      const expected: object = Object.assign({}, ...fields)
      const read = async () => {
        const { body } = await service.rest('GET', filled(listPath ?? restPath))
        return Array.isArray(body) ? body : [body]
      }
      await expect.poll(read).toContainEqual(expect.objectContaining(expected))
    },
  }
}

test.each(drafts)(
  'a change of another window to $form is merged, or the user chooses between the two values',
  async draft => {
    const { mine, theirs, field, other, names } = draft
    const { page, note, input, saveBar, choose, saveElsewhere, expectSaved } = await openDraft(draft)
    await input.fill(mine)
    await saveElsewhere(other)
    await saveElsewhere({ ...other, ...field(theirs) })
    await note.getByText(`Also changed elsewhere: ${names}.`).waitFor()
    for (const value of [mine, theirs]) expect(await note.textContent()).toContain(value)
    expect(await input.inputValue()).toBe(mine)
    await expectAccessibleInBothSchemes(page)
    // Nothing is saved before one of the two is chosen.
    await page.keyboard.press('Control+s')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Keep mine')
    await expectSaved(other, field(theirs))
    await choose('Use theirs')
    await saveBar.waitFor({ state: 'detached' })
    await expect.poll(() => input.inputValue()).toBe(theirs)

    await input.fill(mine)
    await saveElsewhere({ ...other, ...field(`${theirs}2`) })
    await choose('Keep mine')
    await note.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+s')
    await saveBar.waitFor({ state: 'detached' })
    await expectSaved(other, field(mine))
  },
)

test.each(drafts)(
  'saves $form again at once with what another window has changed before this one heard of it',
  async draft => {
    const { mine, theirs, field, other, names, procedures } = draft
    const { page, note, input, saveBar, choose, saveElsewhere, expectSaved } = await openDraft(draft)
    const [update, read] = procedures
    await input.fill(mine)
    const first = await holdCalls(page, read)
    await saveElsewhere(other)
    const saved = page.waitForResponse(answer => answer.url().endsWith(`/rpc/${update}`) && answer.ok())
    await page.keyboard.press('Control+s')
    await saved
    await first.letGo()
    await saveBar.waitFor({ state: 'detached' })
    expect(await note.count()).toBe(0)
    await expectSaved(other, field(mine))

    await input.fill(`${mine}2`)
    const second = await holdCalls(page, read)
    await saveElsewhere({ ...other, ...field(theirs) })
    await page.keyboard.press('Control+s')
    await note.getByText(`Also changed elsewhere: ${names}.`).waitFor()
    await second.letGo()
    // A number is shown with separators.
    expect((await input.inputValue()).replace(',', '')).toBe(`${mine}2`)
    await expectSaved(other, field(theirs))
    await choose('Keep mine')
    await page.keyboard.press('Control+s')
    await saveBar.waitFor({ state: 'detached' })
    await expectSaved(other, field(`${mine}2`))
  },
)

test.each([
  {
    label: 'Hosts',
    role: 'combobox',
    text: '*.example.com',
    saved: { steps: [{ hosts: ['*.example.com'] }] },
  },
  { label: 'Events', role: 'combobox', text: 'order.new', saved: { trigger: { eventName: 'order.new' } } },
  { label: 'Key', role: 'textbox', text: 'renamed', saved: { steps: [{ key: 'renamed' }] } },
  { label: 'Sign with', role: 'combobox', text: 'Acme', saved: {} },
] as const)('the text in $label is saved with it, where its field has not been left', async field => {
  const service = await sharedService()
  const { connectionId } = await createConnection(service.rest, { name: 'Acme' })
  await service.rest('POST', `/connections/${connectionId}/event-types`, { eventName: 'order.paid' })
  const { body } = await service.rest('POST', '/workflows', {
    name: 'Saved by key',
    enabled: false,
    trigger: { type: 'external.event', connectionId },
    steps: [{ key: 'get', type: 'http', method: 'GET', url: 'https://{{a}}/', hosts: ['a.example'] }],
  })
  const { workflowId } = CheckedWorkflow.parse(body)
  const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
  const trigger = page.getByRole('button', { name: /^When/ })
  const step = page.getByRole('button', { name: /Step 1$/ })
  await (field.label === 'Events' ? trigger : step).click()
  if (field.label === 'Key') await page.getByRole('button', { name: /^Advanced/ }).click()
  const input = page.getByRole(field.role, { name: field.label, exact: true })
  await input.click()
  if (field.label === 'Hosts') await page.keyboard.press('Backspace')
  await page.keyboard.press('Control+a')
  await page.keyboard.type(field.text)
  await page.keyboard.press('Control+s')
  await expect
    .poll(async () => (await service.rest('GET', `/workflows/${workflowId}`)).body)
    .toMatchObject(field.label === 'Sign with' ? { steps: [{ signWith: connectionId }] } : field.saved)
  await input.and(page.locator(':focus')).waitFor()
  await page.getByText('Unsaved').waitFor({ state: 'detached' })
})
