import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { AgentRecord } from '#main/storage/config.ts'
import { type ShapeName, type Shapes, shapeNames } from '#shared/model/platform/agent.ts'
import { acceptedShapes as accepted, form, hours } from '../support/agent-shapes.ts'
import { errorCode, issuePaths } from '../support/rest-client.ts'
import { httpClient, signIn } from '../support/rpc-client.ts'
import { sharedService, startOfTests, startService } from '../support/service-fixture.ts'

const service = sharedService()

const ErrorBody = z.object({
  data: z.object({ issues: z.array(z.object({ path: z.string(), message: z.string() })) }),
})
const Schema = z.record(z.string(), z.unknown())

describe.each(shapeNames)('the shape %s', name => {
  const path = `/platform/${name}`

  test('is saved and read exactly as it was sent, for the agent of the query', async () => {
    const { rest } = await service()
    const put = await rest('PUT', `${path}?agentId=sales`, accepted[name])
    expect([put.status, put.body]).toEqual([200, accepted[name]])
    expect((await rest('GET', `${path}?agentId=sales`)).body).toEqual(accepted[name])
    expect((await rest('GET', path)).body).not.toEqual(accepted[name])
    expect((await rest('GET', '/platform/agents')).body).toMatchObject([
      { workspaceId: 'default', agentId: 'sales', shapes: [name], unknownFields: [] },
    ])
  })

  test('has defaults that can be saved, and again once it is deleted', async () => {
    const { rest } = await service()
    const defaults = (await rest('GET', path)).body
    expect((await rest('PUT', path, defaults)).body).toEqual(defaults)
    await rest('PUT', path, accepted[name])
    expect((await rest('DELETE', path)).body).toEqual({ deleted: 1 })
    expect((await rest('GET', path)).body).toEqual(defaults)
    expect((await rest('DELETE', path)).body).toEqual({ deleted: 0 })
    expect((await rest('GET', '/platform/agents')).body).toEqual([])
  })

  test('fits its JSON Schema', async () => {
    const { rest } = await service()
    const schema = z.fromJSONSchema(Schema.parse((await rest('GET', `${path}/schema`)).body))
    expect(schema.safeParse(accepted[name]).error).toBeUndefined()
    expect(schema.safeParse(7).success).toBe(false)
  })

  test('is refused for a workspace that does not exist', async () => {
    const { rest } = await service()
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const body = method === 'PUT' ? accepted[name] : undefined
      expect(errorCode(await rest(method, `${path}?workspaceId=ws_none`, body))).toBe('workspace_not_found')
    }
  })
})

const color = 'Write a colour as #RGB, #RRGGBB or #RRGGBBAA, for example #3560E0.'
const whole = (unit: string, least: string, most: string) =>
  `This must be a whole number of ${unit} from ${least} to ${most}.`
const url = 'Write an absolute URL that begins with https:// or http://.'
const clock = 'Write a time as HH:MM, for example 09:00.'
const action = { trigger: 'keyword:refund', action: 'open_refund', form }

const boolean = 'This must be true or false.'
const long = 'x'.repeat(5000)
const refused: readonly (readonly [ShapeName, object, string, string])[] = [
  ['widget', { bubbleColor: '#FFF' }, 'agentId', 'The field "agentId" is missing.'],
  ['widget', { ...accepted.widget, bubbleColor: 'green' }, 'bubbleColor', color],
  ['widget', { ...accepted.widget, chatHeaderTextColor: '#12345' }, 'chatHeaderTextColor', color],
  [
    'widget',
    { ...accepted.widget, position: 'left' },
    'position',
    'This must be one of "top-left", "top-right", "bottom-left", "bottom-right".',
  ],
  ['widget', { ...accepted.widget, autoOpen: 'yes' }, 'autoOpen', 'This must be true or false.'],
  ['widget', { ...accepted.widget, openDelay: -1 }, 'openDelay', whole('milliseconds', '0', '600,000')],
  ['widget', { ...accepted.widget, openDelay: 1.5 }, 'openDelay', whole('milliseconds', '0', '600,000')],
  ['widget', { ...accepted.widget, logoUrl: 'javascript:alert(1)' }, 'logoUrl', url],
  [
    'widget',
    { ...accepted.widget, buble_color: '#FFF' },
    'buble_color',
    'There is no field `buble_color` here. Did you mean `bubbleColor`?',
  ],
  ['voice', { responseRate: 'fast' }, 'responseRate', 'This must be one of "rapid", "normal", "patient".'],
  ['voice', { silenceTimeout: 99 }, 'silenceTimeout', whole('milliseconds', '100', '60,000')],
  ['voice', { interruptionThreshold: 10_001 }, 'interruptionThreshold', whole('milliseconds', '0', '10,000')],
  ['voice', { language: 'English' }, 'language', 'Write a language code, for example en or en-GB.'],
  ['crawler', { startUrl: 'ftp://a.example' }, 'startUrl', url],
  [
    'crawler',
    { includePatterns: ['help/*'] },
    'includePatterns.0',
    'A pattern is compared with the whole path, so it begins with / or *.',
  ],
  ...['/a?b', '*?b', '/a#b', '/a/*#'].map((pattern): [ShapeName, object, string, string] => [
    'crawler',
    { excludePatterns: ['/', pattern] },
    'excludePatterns.1',
    'A pattern is compared with the path alone, so it cannot have ? or #. Use * to match the rest of a path.',
  ]),
  ['crawler', { excludePatterns: '/a' }, 'excludePatterns', 'This must be an array.'],
  ['crawler', { maxDepth: 21 }, 'maxDepth', whole('links', '0', '20')],
  ['crawler', { maxPages: 0 }, 'maxPages', whole('pages', '1', '100,000')],
  [
    'calendar',
    { workingHours: { Monday: hours } },
    'workingHours.Monday',
    'Write weekdays in lowercase: monday, tuesday, wednesday, thursday, friday, saturday, sunday.',
  ],
  [
    'calendar',
    { workingHours: { monday: { start: '9:00', end: '17:00' } } },
    'workingHours.monday.start',
    clock,
  ],
  [
    'calendar',
    { workingHours: { monday: { start: '24:00', end: '24:00' } } },
    'workingHours.monday.start',
    clock,
  ],
  ...['24:01', '25:00', '24:00:00', '9:00'].map((end): [ShapeName, object, string, string] => [
    'calendar',
    { workingHours: { monday: { start: '09:00', end } } },
    'workingHours.monday.end',
    'Write a time as HH:MM, for example 17:00. 24:00 is midnight at the end of the day.',
  ]),
  [
    'calendar',
    { workingHours: { monday: { start: '09:00', end: '00:00' } } },
    'workingHours.monday.end',
    'The end must be later than the start. Write 24:00 for midnight at the end of the day.',
  ],
  [
    'calendar',
    { workingHours: { monday: { start: '17:00', end: '17:00' } } },
    'workingHours.monday.end',
    'The end must be later than the start.',
  ],
  [
    'calendar',
    { workingHours: { monday: { ...hours, pause: '12:00' } } },
    'workingHours.monday.pause',
    'There is no field `pause` here.',
  ],
  ['calendar', { bufferTime: 1441 }, 'bufferTime', whole('minutes', '0', '1,440')],
  ['calendar', { maxAdvanceBooking: 3651 }, 'maxAdvanceBooking', whole('days', '0', '3,650')],
  ['language', { primaryLanguage: '' }, 'primaryLanguage', 'Write a language code, for example en or en-GB.'],
  ['language', { translations: { a_en: 7 } }, 'translations.a_en', 'This must be a string in double quotes.'],
  [
    'language',
    { translations: Object.fromEntries([['__proto__', 'x']]) },
    'translations.__proto__',
    'A key has 1 to 200 letters, digits, dots, - or _: greeting_en.',
  ],
  [
    'conversation-actions',
    [{ ...action, trigger: 'refund' }],
    '0.trigger',
    'Write keyword: and a word, for example keyword:refund.',
  ],
  [
    'conversation-actions',
    [{ ...action, action: '' }],
    '0.action',
    'Name the action, for example open_refund.',
  ],
  [
    'conversation-actions',
    [action, { ...action, trigger: 'keyword:Refund' }],
    '1.trigger',
    'Another action has this trigger.',
  ],
  [
    'conversation-actions',
    [{ ...action, form: { ...form, fields: ['a', 'a'] } }],
    '0.form.fields',
    'Each field may appear only once.',
  ],
  [
    'conversation-actions',
    [{ ...action, form: { ...form, fields: ['a b'] } }],
    '0.form.fields.0',
    'A field’s name has letters, digits and _, and no digit first.',
  ],
  [
    'conversation-actions',
    [{ ...action, form: { fields: [], submitUrl: '/refund' } }],
    '0.form.submitUrl',
    url,
  ],
  [
    'conversation-actions',
    [{ ...action, form: { fields: [], submitUrl: 'https://user:pass@forms.example/' } }],
    '0.form.submitUrl',
    'Remove the user name and password from the URL. They would not be sent.',
  ],
  [
    'conversation-actions',
    [{ ...action, form: { ...form, submit_url: 'x' } }],
    '0.form.submit_url',
    'There is no field `submit_url` here. Did you mean `submitUrl`?',
  ],
  ['conversation-actions', {}, '', 'This must be an array.'],
  [
    'text-responses',
    [{ key: '', text: 'x' }],
    '0.key',
    'A key has 1 to 100 characters on one line, such as order_late.',
  ],
  ['text-responses', [{ key: 'a', text: '' }], '0.text', 'Write the answer.'],
  [
    'text-responses',
    [
      { key: 'a', text: 'x' },
      { key: 'A', text: 'y' },
    ],
    '1.key',
    'Another response has this key.',
  ],
  ['sms-keywords', { stop: '' }, 'stop', 'Write the answer.'],
  ['sms-keywords', { menu: 'x'.repeat(1531) }, 'menu', 'This must have at most 1,530 characters.'],
  ['sms-keywords', { Stop: 'x' }, 'Stop', 'There is no field `Stop` here. Did you mean `stop`?'],
  ...(['bubbleTextColor', 'chatBackgroundColor', 'chatHeaderBackgroundColor'] as const).map(
    field => ['widget', { ...accepted.widget, [field]: 'rgb(0,0,0)' }, field, color] as const,
  ),
  ...(['fileUploadEnabled', 'chatHistoryEnabled', 'displayBranding'] as const).map(
    field => ['widget', { ...accepted.widget, [field]: 1 }, field, boolean] as const,
  ),
  ['voice', { voice: long }, 'voice', 'This must have at most 200 characters.'],
  ['voice', { accent: long }, 'accent', 'This must have at most 200 characters.'],
  [
    'language',
    { secondaryLanguage: '?' },
    'secondaryLanguage',
    'Write a language code, for example en or en-GB.',
  ],
  ['language', { autoDetect: 'no' }, 'autoDetect', boolean],
  [
    'language',
    { translations: { a_en: long } },
    'translations.a_en',
    'This must have at most 4,000 characters.',
  ],
  ['conversation-actions', [{ trigger: 'keyword:a', action: 'b' }], '0.form', 'The field "form" is missing.'],
  ['text-responses', [{ key: 'a', text: long }], '0.text', 'This must have at most 4,000 characters.'],
  ['sms-keywords', { help: '' }, 'help', 'Write the answer.'],
]

describe('a shape with a mistake is refused with its path and a sentence, by PUT and by validate', () => {
  test.each(shapeNames)('every field of %s is refused at least once', name => {
    const [fixture] = [accepted[name]].flat()
    const fields = Object.keys(fixture ?? {}).sort()
    const mistaken = refused.filter(([shape]) => shape === name).map(([, , path]) => path.split('.'))
    const covered = mistaken.map(([first = '', second = '']) => (/^\d/.test(first) ? second : first))
    expect(fields.filter(field => !covered.includes(field))).toEqual([])
  })

  test.each(refused)('%s %j', async (name, shape, path, message) => {
    const { rest } = await service()
    const answer = await rest('PUT', `/platform/${name}`, shape)
    expect([answer.status, errorCode(answer)]).toEqual([400, 'invalid_input'])
    expect(ErrorBody.parse(answer.body).data.issues).toContainEqual({ path, message })
    const validated = await rest('POST', `/platform/${name}/validate`, shape)
    expect(validated.body).toMatchObject({ valid: false, issues: ErrorBody.parse(answer.body).data.issues })
    expect((await rest('GET', '/platform/agents')).body).toEqual([])
  })

  test('an object in the place of a list and the other way round, and what is not an object', async () => {
    const { rest } = await service()
    expect(issuePaths(await rest('PUT', '/platform/voice', []))).toEqual([''])
    expect(issuePaths(await rest('PUT', '/platform/text-responses', { key: 'a', text: 'b' }))).toContain('')
    expect((await rest('PUT', '/platform/voice', 'x')).status).toBe(400)
    expect(issuePaths(await rest('PUT', '/platform/voice?agent=x', {}))).toEqual(['agent'])
    expect(issuePaths(await rest('PUT', '/platform/voice?agentId=a%20b', {}))).toEqual(['agentId'])
    expect((await rest('PUT', '/platform/vioce', {})).status).toBe(404)
    // Other routes take no lists.
    expect(issuePaths(await rest('POST', '/connections', []))).toEqual([''])
  })

  test('validate accepts what PUT accepts, and saves nothing', async () => {
    const { rest } = await service()
    for (const name of shapeNames)
      expect((await rest('POST', `/platform/${name}/validate`, accepted[name])).body).toEqual({
        valid: true,
        issues: [],
      })
    expect((await rest('GET', '/platform/agents')).body).toEqual([])
  })
})

describe('export and import', () => {
  const path = (verb: string, agentId: string) => `/platform/${verb}?agentId=${agentId}`

  test('bring all shapes of an agent to another one, unknown fields included', async () => {
    const { rest } = await service()
    for (const name of shapeNames) await rest('PUT', `/platform/${name}?agentId=one`, accepted[name])
    const exported = Schema.parse((await rest('GET', path('export', 'one'))).body)
    expect(exported).toEqual({ version: 1, agentId: 'one', ...accepted })
    const given = { ...exported, voice: { ...accepted.voice, pitch: 2 }, theme: { dark: true } }
    const imported = await rest('POST', path('import', 'two'), given)
    expect([imported.status, imported.body]).toMatchObject([
      200,
      { workspaceId: 'default', agentId: 'two', shapes: shapeNames },
    ])
    expect(Schema.parse(imported.body).warnings).toMatchObject([{ path: 'voice.pitch' }, { path: 'theme' }])
    expect((await rest('GET', path('export', 'two'))).body).toEqual({ ...given, agentId: 'two' })
    expect((await rest('GET', path('voice', 'two'))).body).toEqual(accepted.voice)
  })

  test('take the agent of the document, and a text with its line and column', async () => {
    const { rest } = await service()
    const document = { agentId: 'three', voice: accepted.voice }
    const text = JSON.stringify(document, null, 2)
    expect((await rest('POST', '/platform/import', { text })).body).toMatchObject({ agentId: 'three' })
    expect((await rest('POST', '/platform/import', document)).body).toMatchObject({ agentId: 'three' })
    const wrong = await rest('POST', '/platform/import', {
      text: text.replace('"patient"', '"slow"'),
    })
    expect([wrong.status, wrong.body]).toMatchObject([
      400,
      { code: 'invalid_document', data: { issues: [{ path: 'voice.responseRate', line: 5, column: 21 }] } },
    ])
  })

  test('write nothing for a document with an error, or for a dry run', async () => {
    const { rest } = await service()
    const wrong = { voice: accepted.voice, crawler: { maxDepth: 99 } }
    expect((await rest('POST', '/platform/import', wrong)).status).toBe(400)
    const tried = await rest('POST', '/platform/import?dryRun=true', { voice: accepted.voice })
    expect(tried.body).toMatchObject({ shapes: ['voice'], warnings: [] })
    expect((await rest('GET', '/platform/agents')).body).toEqual([])
  })
})

test('shapes survive a restart, and go with their workspace', async () => {
  const fixture = await startService()
  const { rest } = fixture
  const { workspaceId } = z
    .object({ workspaceId: z.string() })
    .parse((await rest('POST', '/workspaces', { name: 'Team' })).body)
  await rest('PUT', `/platform/voice?workspaceId=${workspaceId}`, accepted.voice)
  await rest('POST', '/platform/import', { crawler: accepted.crawler, theme: 1 })
  const before = (await rest('GET', '/platform/agents')).body
  await fixture.restart()
  expect((await rest('GET', '/platform/agents')).body).toEqual(before)
  expect((await rest('GET', `/platform/voice?workspaceId=${workspaceId}`)).body).toEqual(accepted.voice)
  expect((await rest('GET', '/platform/export')).body).toMatchObject({ crawler: accepted.crawler, theme: 1 })
  await rest('DELETE', `/workspaces/${workspaceId}`)
  expect((await rest('GET', '/platform/agents')).body).toMatchObject([{ workspaceId: 'default' }])
  expect((await rest('DELETE', '/platform/agents?agentId=default')).body).toEqual({ deleted: 1 })
  expect((await rest('GET', '/platform/agents')).body).toEqual([])
})

test('the dashboard reads, saves and moves shapes in the same way', async () => {
  const { dashboardUrl } = await service()
  const session = await signIn(dashboardUrl)
  const { platform } = httpClient(
    () => dashboardUrl,
    () => session,
  )
  const query = { agentId: 'sales' }
  const { agentId: _agentId, ...defaults } = await platform.widget.get(query)
  const body = { ...defaults, agentId: 'sales', openDelay: 1 }
  expect(await platform.widget.set({ query, body })).toEqual(body)
  await expect(platform.widget.set({ query, body: { ...body, openDelay: -1 } })).rejects.toMatchObject({
    data: { issues: [{ path: 'openDelay' }] },
  })
  const imported = { voice: { pitch: 1 } }
  expect(await platform.import({ query: { ...query, dryRun: false }, body: imported })).toMatchObject({
    agentId: 'sales',
    shapes: ['voice'],
  })
  expect(await platform.export(query)).toMatchObject({ widget: body, voice: { pitch: 1 } })
  expect(await platform.removeAgent({ query })).toEqual({ deleted: 1 })
})

test('a crawler that an earlier version stored is read, and refused only when it is saved again', async () => {
  const fixture = await service()
  const { rest } = fixture
  const crawler = { ...(accepted.crawler as Shapes['crawler']), excludePatterns: ['/a?b'] }
  await rest('PUT', '/platform/voice', accepted.voice)
  await fixture.service.storage.config.update(config => {
    const [[key, agent]] = [...config.agents] as [[string, AgentRecord]]
    const agents = new Map([[key, { ...agent, shapes: { ...agent.shapes, crawler } }]])
    return { next: { ...config, agents }, result: undefined }
  })
  expect(await rest('GET', '/platform/crawler')).toMatchObject({ status: 200, body: crawler })
  expect((await rest('GET', '/platform/export')).body).toMatchObject({ crawler })
  expect((await rest('PUT', '/platform/voice', accepted.voice)).status).toBe(200)
  expect(issuePaths(await rest('PUT', '/platform/crawler', crawler))).toEqual(['excludePatterns.0'])
  expect((await rest('POST', '/platform/import', { crawler })).body).toMatchObject({
    code: 'invalid_document',
    data: { issues: [{ path: 'crawler.excludePatterns[0]', severity: 'error' }] },
  })
})

describe('trying', () => {
  test('crawler patterns says which rule took or dropped each URL', async () => {
    const { rest } = await service()
    const { startUrl, includePatterns, excludePatterns } = z
      .object({
        startUrl: z.string(),
        includePatterns: z.array(z.string()),
        excludePatterns: z.array(z.string()),
      })
      .parse(accepted.crawler)
    const urls = ['https://northwind.example/help/a', 'https://northwind.example/help/a/print', 'x']
    const patterns = { startUrl, includePatterns, excludePatterns }
    expect((await rest('POST', '/platform/try/crawler-patterns', { ...patterns, urls })).body).toEqual({
      results: [
        { url: urls[0], taken: true, rule: '/help/*', reason: 'included' },
        { url: urls[1], taken: false, rule: '*/print', reason: 'excluded' },
        { url: 'x', taken: false, rule: null, reason: 'not_a_url' },
      ],
    })
    const many = Array(1001).fill('x')
    expect(
      issuePaths(await rest('POST', '/platform/try/crawler-patterns', { ...patterns, urls: many })),
    ).toEqual(['urls'])
    const heavy = {
      includePatterns: Array(200).fill(`/${'a*'.repeat(500)}`),
      urls: Array(1000).fill('x'.repeat(2000)),
    }
    expect(issuePaths(await rest('POST', '/platform/try/crawler-patterns', heavy))).toEqual(['urls'])
  })

  test('slots gives those of a date with the offset of the time zone', async () => {
    const { rest } = await service()
    const query = {
      availability: { workingHours: { thursday: { start: '11:00', end: '13:00' } }, bufferTime: 15 },
      date: '2026-11-26',
      timeZone: 'Europe/Berlin',
      lengthMinutes: 30,
      taken: [{ start: '2026-11-26T11:00:00+01:00', end: '2026-11-26T10:30:00Z' }],
    }
    const slots = [
      { start: '2026-11-26T11:45:00+01:00', end: '2026-11-26T12:15:00+01:00' },
      { start: '2026-11-26T12:30:00+01:00', end: '2026-11-26T13:00:00+01:00' },
    ]
    const path = '/platform/try/slots'
    expect((await rest('POST', path, query)).body).toEqual({ slots })
    expect((await rest('POST', path, { ...query, now: '2026-11-26T12:00:00+01:00' })).body).toEqual({
      slots: slots.slice(1),
    })
    expect((await rest('POST', path, { ...query, now: startOfTests - 40 * 86_400_000 })).body).toEqual({
      slots: [],
    })
    const wrong = [
      [{ date: '2026-02-30' }, 'date'],
      [{ timeZone: 'Mars/Base' }, 'timeZone'],
      [{ lengthMinutes: 0 }, 'lengthMinutes'],
      [{ taken: [{ start: '2026-11-26T11:00', end: 'x' }] }, 'taken.0.start'],
      [{ taken: [{ start: startOfTests, end: startOfTests - 1 }] }, 'taken.0.end'],
      [{ taken: [{ start: startOfTests, end: startOfTests / 1000 }] }, 'taken.0.end'],
      [{ taken: Array(1001).fill({ start: startOfTests, end: startOfTests }) }, 'taken'],
      [{ now: startOfTests / 1000 }, 'now'],
      [{ now: '2026-11-31T12:00:00Z' }, 'now'],
      [{ availability: { bufferTime: -1 } }, 'availability.bufferTime'],
    ] as const
    for (const [change, at] of wrong)
      expect(issuePaths(await rest('POST', path, { ...query, ...change }))).toContain(at)
  })

  test('a keyword names the SMS keywords and actions of the agent in a text', async () => {
    const { rest } = await service()
    await rest('PUT', '/platform/conversation-actions?agentId=sales', accepted['conversation-actions'])
    const text = 'Refund me, then stop'
    expect((await rest('POST', '/platform/try/keyword', { agentId: 'sales', text })).body).toEqual({
      matches: [
        { kind: 'sms', keyword: 'STOP', effect: expect.any(String), start: 16, end: 20 },
        { kind: 'conversation-action', keyword: 'refund', effect: 'open_refund', start: 0, end: 6 },
      ],
    })
    expect(issuePaths(await rest('POST', '/platform/try/keyword', { text: 'x'.repeat(10_001) }))).toEqual([
      'text',
    ])
  })

  test('a text response fills variables and names those without a value', async () => {
    const { rest } = await service()
    const query = { text: 'Sorry {name}, {order} is {n} days late.', variables: { name: 'Maya', n: 2 } }
    expect((await rest('POST', '/platform/try/text-response', query)).body).toEqual({
      text: 'Sorry Maya, {order} is 2 days late.',
      unknown: ['order'],
    })
    const long = { text: '{a}', variables: { a: 'x'.repeat(1001) } }
    expect(issuePaths(await rest('POST', '/platform/try/text-response', long))).toEqual(['variables.a'])
  })
})

test('the webhook events can be added to a connection as event types', async () => {
  const { rest } = await service()
  const { connectionId } = z
    .object({ connectionId: z.string() })
    .parse((await rest('POST', '/connections', { name: 'Shop' })).body)
  const types = z
    .array(
      z.object({
        eventName: z.string(),
        label: z.string(),
        samplePayload: Schema,
        remark: z.string().nullable(),
        body: Schema,
      }),
    )
    .parse((await rest('GET', '/platform/event-types')).body)
  expect(types.map(({ eventName }) => eventName)).toEqual([
    'conversation.started',
    'lead.captured',
    'appointment.booked',
  ])
  expect(types[0]?.remark).toContain('not in `data`')
  for (const { eventName, label, samplePayload } of types) {
    const answer = await rest('POST', `/connections/${connectionId}/event-types`, {
      eventName,
      label,
      samplePayload,
    })
    expect(answer.status).toBe(201)
  }
  expect((await rest('GET', `/connections/${connectionId}/event-types`)).body).toMatchObject([
    { variables: [] },
    { variables: ['name', 'email', 'phone'] },
    { variables: ['customerEmail', 'dateTime', 'service'] },
  ])
})
