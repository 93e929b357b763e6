import { describe, expect, test } from 'vitest'
import { WorkflowFields } from '#shared/model/workflow.ts'
import { type Known, workflowIssues } from '#shared/workflows/references.ts'

const parameter = (name: string, type: 'string' | 'number' | 'boolean' | 'object', required = false) => ({
  name,
  type,
  description: name,
  required,
})
const reserve = {
  toolName: 'reserve_stock',
  isEnabled: true,
  parameters: [
    parameter('sku', 'string', true),
    parameter('quantity', 'number'),
    parameter('order', 'object'),
  ],
  responseMapping: { reservation: 'data.id' },
}
const known: Known = {
  connections: new Map([
    [
      'conn_1',
      { name: 'Orders', enabled: true, baseUrl: null, actions: [{ ...reserve, responseMapping: null }] },
    ],
    [
      'conn_2',
      {
        name: 'Warehouse',
        enabled: true,
        baseUrl: 'https://x',
        actions: [reserve, { ...reserve, toolName: 'off', isEnabled: false }],
      },
    ],
    ['conn_3', { name: 'Old', enabled: false, baseUrl: 'https://x', actions: [reserve] }],
  ]),
  sample: { total: 149, order_id: 'ORD-1', customer: { name: 'Maya' }, lines: [{ sku: 'A', quantity: 2 }] },
}
const action = (given: Record<string, unknown>, more = {}) => ({
  key: 'reserve',
  type: 'action',
  connectionId: 'conn_2',
  toolName: 'reserve_stock',
  arguments: { sku: 'A', ...given },
  ...more,
})

function issuesOf(steps: unknown[], trigger = {}, given = known) {
  const workflow = WorkflowFields.parse({ name: 'W', trigger: { type: 'external.event', ...trigger }, steps })
  return workflowIssues(workflow, given).map(({ stepKey, path, code, message, nearest }) => {
    if (nearest !== null) expect(message.split(nearest)).toEqual([expect.any(String), '?'])
    return [stepKey, path, code, message]
  })
}

test('a comparison without a variable is a warning, in a trigger and a branch, once it has a value', () => {
  const compare = (value: string, operand: unknown = 'opened') => ({ value, operator: 'equals', operand })
  const warning = 'A comparison without a variable has the same result each time.'
  const when = { any: [compare('action'), compare('{{total}}'), compare('a b', ['{{total}}']), compare('')] }
  expect(
    issuesOf([{ key: 'is', type: 'branch', cases: [{ when: compare('a b'), steps: [] }] }], { when }),
  ).toEqual([
    [null, 'trigger.when.any.0.value', 'constant_condition', `${warning} Did you mean {{action}}?`],
    ['is', 'steps.0.cases.0.when.value', 'constant_condition', warning],
  ])
})

test.each([
  ['*', 'the name "*".'],
  ['order*', 'the name "order*".'],
  ['*.created', 'the name "*.created".'],
  ['order.*.*', 'names that begin with "order.*.".'],
  ['.*', 'names that begin with ".".'],
])('the name %s, whose * is not a wildcard, is a warning', (name, matched) => {
  const message = expect.stringContaining(`This matches only ${matched} To match a prefix`)
  expect(issuesOf([], { eventName: name })).toEqual([[null, 'trigger.eventName', 'unclear_name', message]])
  expect(issuesOf([], { eventNames: ['order.*', 'push', name] })).toEqual([
    [null, 'trigger.eventNames.2', 'unclear_name', message],
  ])
})

describe('a variable of the service without $', () => {
  const find = { key: 'find', type: 'http', method: 'GET', url: 'https://x.example/' }
  const told = (message: string) => ({ key: 'told', type: 'notify', message })
  const isVariableSet = (name: string) => name === 'API_KEY'
  const set = (value: string) => ({ key: 'set', type: 'set', values: { a: { value } } })
  test.each([
    [told('{{run.id}}'), 'run.id'],
    [told('{{calls.find.status}}'), 'calls.find.status'],
    [told('{{calls["find"].headers["x-id"]}}'), 'calls["find"].headers["x-id"]'],
    [set('{{env.API_KEY}}'), 'env.API_KEY'],
    [{ ...find, key: 'next', headers: { A: 'x {{calls.find.bodyText}}' } }, 'calls.find.bodyText'],
  ])('is a warning with the right spelling where no field has its name: %j', (step, path) => {
    for (const sample of [known.sample, null])
      expect(
        issuesOf([find, step], {}, { ...known, sample, isVariableSet }).map(([, , code, message]) => [
          code,
          message,
        ]),
      ).toEqual([
        [
          'unknown_variable',
          `{{${path}}} is a field of the event. Variables of the service begin with $. Did you mean {{$${path}}}?`,
        ],
      ])
  })

  test('is a field of the event where one has its name, or it is written as one', () => {
    const sample = { run: { id: 1 }, calls: { find: { status: 1 } }, env: { API_KEY: 1 } }
    const text = '{{run.id}} {{calls.find.status}} {{env.API_KEY}}'
    expect(issuesOf([find, told(text)], {}, { ...known, sample, isVariableSet })).toEqual([])
    const asFields = text.replaceAll('{{', '{{event.')
    expect(issuesOf([find, told(asFields)], {}, { ...known, sample: null, isVariableSet })).toEqual([])
  })

  test('is not meant where the service has no such variable', () => {
    const text = '{{run.number}} {{calls.other.status}} {{calls.find.price}} {{env.OTHER}} {{run}}'
    const once = { key: '{{run.id}}', hours: 1 }
    expect(issuesOf([find, told(text)], { once }, { ...known, sample: null, isVariableSet })).toEqual([])
  })
})

describe('a workflow', () => {
  const wait = (until: string) => ({ key: 'wait', type: 'wait', until })
  const order = (operand: unknown, operator = 'less') => ({
    key: 'check',
    type: 'branch',
    cases: [{ when: { any: [{ value: '{{at}}', operator, operand }] }, steps: [] }],
  })
  test.each([
    [wait('1795290958'), 'steps.0.until', 'The time is in seconds.'],
    [wait('2026-11-31T09:00:00Z'), 'steps.0.until', 'its month has 30 days'],
    [wait('2026-12-24'), 'steps.0.until', 'no time of day'],
    [order('2026-11-31T09:00:00Z'), 'steps.0.cases.0.when.any.0.operand', 'It is compared as a text.'],
    [order('2026-11-30T09:00:00'), 'steps.0.cases.0.when.any.0.operand', 'has no offset'],
  ])('names a time that cannot be read: %j', (step, at, message) => {
    const given = { ...known, sample: { at: '' } }
    expect(issuesOf([step], {}, given)).toEqual([
      [step.key, at, 'invalid_time', expect.stringContaining(message)],
    ])
  })

  test.each([
    wait('{{at}}'),
    wait('2026-11-30T09:00:00+01:00'),
    order('2026-11-30T09:00:00Z'),
    order('2026-12-24'),
    order('{{at}}'),
    order(5),
    order('2026-11-31T09:00:00Z', 'equals'),
  ])('has no issue with the time in %j', step => {
    expect(issuesOf([step], {}, { ...known, sample: { at: '' } })).toEqual([])
  })

  test('has no issues where all that it refers to is there', () => {
    const steps = [
      action({ quantity: '{{lines.0.quantity}}', order: '{{customer}}', sku: '{{total}}' }),
      {
        key: 'each',
        type: 'each',
        items: '{{lines}}',
        steps: [{ key: 'n', type: 'notify', message: '{{index}} {{item.sku}} {{event.total}}' }],
      },
      {
        key: 'after',
        type: 'notify',
        message: '{{steps.reserve.reservation}} {{eventName}} {{steps.each.items}}',
      },
    ]
    expect(issuesOf(steps, { connectionId: 'conn_1' })).toEqual([])
  })

  test.each([
    [
      action({}, { connectionId: 'conn_9' }),
      'connectionId',
      'unknown_connection',
      'The connection does not exist.',
    ],
    [
      action({}, { toolName: 'reserve_stok' }),
      'toolName',
      'unknown_action',
      'Warehouse has no action reserve_stok. Did you mean reserve_stock?',
    ],
    [action({}, { toolName: 'off' }), 'toolName', 'action_off', 'The action off is switched off.'],
    [action({}, { connectionId: 'conn_3' }), 'connectionId', 'connection_off', 'Old is switched off.'],
    [
      action({}, { connectionId: 'conn_1' }),
      'connectionId',
      'no_base_url',
      'Orders has no base URL, so it cannot be called.',
    ],
    [
      action({ quantitty: 1 }),
      'arguments.quantitty',
      'unknown_argument',
      'The action has no parameter quantitty. Did you mean quantity?',
    ],
    [
      action({ quantity: 'two' }),
      'arguments.quantity',
      'type_mismatch',
      'quantity expects a number, not a text.',
    ],
    [
      action({ quantity: '{{order_id}}' }),
      'arguments.quantity',
      'type_mismatch',
      'quantity expects a number, not a text.',
    ],
    [
      action({ order: '{{lines}}' }),
      'arguments.order',
      'type_mismatch',
      'order expects an object, not a list.',
    ],
    [action({}, { arguments: {} }), 'arguments.sku', 'missing_argument', 'sku is required.'],
    [
      action({ sku: '{{order_idd}}' }),
      'arguments.sku',
      'unknown_variable',
      'The event has no field order_idd. Did you mean {{order_id}}?',
    ],
    [
      action({ sku: '{{item.sku}}' }),
      'arguments.sku',
      'unknown_variable',
      'The event has no field item.sku.',
    ],
    [
      action({ sku: '{{steps.reserve.id}}' }),
      'arguments.sku',
      'unknown_step',
      'No step before this one has the key reserve.',
    ],
  ])('%j has an issue at %s: %s', (step, path, code, message) => {
    expect(issuesOf([step])).toEqual([['reserve', `steps.0.${path}`, code, message]])
  })

  test('names the trigger, a step inside another, and a field that an output does not have', () => {
    const inner = { key: 'inner', type: 'notify', message: '{{steps.reserve.reservatoin}}' }
    const branch = {
      key: 'branch',
      type: 'branch',
      cases: [{ when: { all: [{ value: '{{totl}}', operator: 'exists' }] }, steps: [inner] }],
    }
    const each = { key: 'each', type: 'each', items: '{{lines}}', steps: [action({}, { key: 'deep' })] }
    const after = { key: 'after', type: 'notify', message: '{{steps.inner}} {{steps.deep.reservation}}' }
    expect(issuesOf([action({}), branch, each, after], { connectionId: 'conn_9' })).toEqual([
      [null, 'trigger.connectionId', 'unknown_connection', 'The connection of the trigger does not exist.'],
      [
        'branch',
        'steps.1.cases.0.when.all.0.value',
        'unknown_variable',
        'The event has no field totl. Did you mean {{total}}?',
      ],
      [
        'inner',
        'steps.1.cases.0.steps.0.message',
        'unknown_variable',
        'The output of reserve has no field reservatoin. Did you mean {{steps.reserve.reservation}}?',
      ],
      ['after', 'steps.3.message', 'unknown_step', 'No step before this one has the key deep.'],
    ])
  })

  test.each([
    ['{{total * 2}}', '{{total * 2}}'],
    ['For {{total*2}}', '{{total*2}}'],
    ['{{order_id | upcase}}', '{{order_id | upcase}}'],
    ['{{order_id|upcase}}', '{{order_id|upcase}}'],
    ['{{first name}} {{total}}', '{{first name}}'],
    ['{{steps.before.a|b}}', '{{steps.before.a|b}}'],
    ['{{total} of {{lines', '{{total} of'],
    ['{{total}} of {{lines', '{{lines'],
    ['{{customer["name}}', '{{customer["name}}'],
  ])('has an issue where text in double braces is not a variable: %s', (text, wrong) => {
    const field = { value: text, operator: 'exists' }
    const steps: [object, string][] = [
      [action({ sku: text }), 'arguments.sku'],
      [action({ order: { deep: [text] } }), 'arguments.order.deep.0'],
      [{ type: 'http', method: 'POST', url: 'https://x.example/', headers: { A: text } }, 'headers.A'],
      [{ type: 'http', method: 'POST', url: 'https://x.example/', body: { a: [text] } }, 'body.a.0'],
      [{ type: 'branch', cases: [{ when: { all: [field] }, steps: [] }] }, 'cases.0.when.all.0.value'],
      [{ type: 'each', items: text, steps: [] }, 'items'],
      [{ type: 'wait', until: text }, 'until'],
      [{ type: 'notify', message: text }, 'message'],
      [{ type: 'stop', outcome: 'failed', message: text }, 'message'],
    ]
    // Other white space is not allowed in a URL.
    if (/^\{\{.*\}\}$/.test(text) && !text.includes('}} '))
      steps.push([{ type: 'http', method: 'POST', url: `https://x.example/${text}` }, 'url'])
    for (const sample of [known.sample, null])
      for (const [step, path] of steps) {
        const before = { key: 'before', type: 'notify', message: 'x' }
        const issues = issuesOf([before, { ...step, key: 'step' }], {}, { ...known, sample })
        const [first] = issues.filter(([, at]) => at === `steps.1.${path}`)
        expect(first?.slice(0, 3)).toEqual(['step', `steps.1.${path}`, 'invalid_variable'])
        expect(first?.[3]).toContain(`${wrong} is not a variable.`)
      }
  })

  test('has an issue where the name of a field has a variable', () => {
    const step = { key: 'send', type: 'http', method: 'POST', url: 'https://x.example/' }
    expect(issuesOf([{ ...step, body: { a: [{ '{{total}}': 1 }] } }])).toEqual([
      [
        ...['send', 'steps.0.body.a.0.{{total}}', 'invalid_variable'],
        'The name of a field cannot have variables: {{total}}.',
      ],
    ])
  })

  test('takes null for an optional parameter, which is then not given, and not for a required one', () => {
    const sample = { none: null }
    const issues = (given: object) => issuesOf([action({ ...given })], {}, { ...known, sample })
    expect(issues({ quantity: null, order: '{{none}}' })).toEqual([])
    expect(issues({ sku: null })).toEqual([
      ['reserve', 'steps.0.arguments.sku', 'type_mismatch', 'sku expects a text, not null.'],
    ])
  })

  test('knows keys that need brackets, and names the nearest one', () => {
    const sample = { fields: { 'context.text': 'v' }, 'price(EUR)': 5 }
    const told = (message: string) =>
      issuesOf([{ key: 'told', type: 'notify', message }], {}, { ...known, sample })
    expect(told(`{{fields["context.text"]}} {{fields['context.text']}} {{price(EUR)}}`)).toEqual([])
    expect(told('{{fields["context.txt"]}}')).toMatchObject([
      [
        ...['told', 'steps.0.message', 'unknown_variable'],
        'The event has no field fields["context.txt"]. Did you mean {{fields["context.text"]}}?',
      ],
    ])
  })

  test('is not checked for variables where no payload is known', () => {
    expect(
      issuesOf([action({ sku: '{{anything}}', quantity: '{{anything}}' })], {}, { ...known, sample: null }),
    ).toEqual([])
  })
})

describe('the schema of a workflow', () => {
  const parse = (fields: unknown) =>
    WorkflowFields.safeParse({
      name: 'W',
      trigger: { type: 'external.event' },
      ...Object(fields),
    }).error?.issues.map(({ path, message }) => [path.join('.'), message])
  const notify = (key: string) => ({ key, type: 'notify', message: 'x' })
  const conditions = (levels: number): unknown =>
    levels === 0 ? { value: 'x', operator: 'exists' } : { all: [conditions(levels - 1)] }
  const branchOn = (when: unknown) => ({ key: 'b', type: 'branch', cases: [{ when, steps: [] }] })
  const tooDeep = `steps.0.cases.0.when${'.all.0'.repeat(20)}.all`

  test('takes conditions of 20 levels', () => {
    expect(parse({ steps: [branchOn(conditions(20))] })).toBeUndefined()
  })

  test.each([21, 1000])('refuses conditions of %d levels', levels => {
    expect(parse({ steps: [branchOn(conditions(levels))] })).toEqual([
      [tooDeep, 'Conditions are nested at most 20 levels deep.'],
    ])
  })

  const nested = (levels: number): unknown => ({
    key: `k${levels}`,
    type: 'each',
    items: '{{a}}',
    steps: levels === 0 ? [] : [nested(levels - 1)],
  })

  test.each([
    [{ steps: [notify('a'), notify('a')] }, [['steps.1.key', 'Another step has the key a.']]],
    [
      {
        steps: Array.from({ length: 60 }, (_, n) => ({
          ...notify(`a${n}`),
          type: 'each',
          items: 'x',
          steps: [notify(`b${n}`)],
        })),
      },
      [['steps', 'A workflow has at most 100 steps.']],
    ],
    [{ steps: [nested(8)] }, [[`steps.0${'.steps.0'.repeat(8)}`, 'Steps are nested at most 8 levels deep.']]],
    [
      { steps: [{ key: 'w', type: 'wait' }] },
      [['steps.0.seconds', 'Set exactly one of `seconds` and `until`.']],
    ],
    [
      { steps: [{ ...notify('Not Snake') }] },
      [['steps.0.key', 'A key is snake_case: lower-case letters, digits and _.']],
    ],
    [
      { steps: [{ key: 'h', type: 'http', method: 'GET', url: 'https://{{host}}/x' }] },
      [
        [
          'steps.0.url',
          'Write an absolute URL such as https://api.example.com/orders/{{order_id}}. The host cannot have variables, unless `hosts` names those that are allowed.',
        ],
      ],
    ],
    [
      { steps: [{ key: 'h', type: 'http', method: 'GET', url: 'https://a.example/{{id}}?q={{q}}' }] },
      undefined,
    ],
  ])('case %# has exactly the expected issues', (fields, expected) => {
    expect(parse(fields)).toEqual(expected)
  })
})
