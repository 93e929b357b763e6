import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { openExternalSystem } from '../support/external-system.ts'
import { missingOf, titled } from '../support/has-program.ts'
import type { Rest } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()
let system: Awaited<ReturnType<typeof openExternalSystem>>
beforeAll(async () => {
  system = await openExternalSystem((_request, response) => void response.end('{}'))
})
afterAll(() => system.close())
let rest: Rest
beforeEach(async () => {
  rest = (await cleanService()).rest
  system.requests.length = 0
})

const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
const payload = {
  tags: ['a', 'b c', 'd,e&f'],
  lines: [{ sku: 'A', sizes: [1, 2] }, { sku: 'B' }],
  order: { tags: ['x'], none: [] },
  mixed: ['a', { b: 1 }],
  grid: [[1, 2], [3]],
}
const body = {
  tags: '{{tags}}',
  lines: '{{lines}}',
  order: '{{order}}',
  mixed: '{{mixed}}',
  grid: '{{grid}}',
  one: 'x',
}

const save = (step: object) =>
  rest('POST', '/workflows', {
    name: 'Form',
    trigger: { type: 'external.event' },
    steps: [{ key: 'send', type: 'http', method: 'POST', url: `${system.url}/in`, ...step }],
  })

/** Runs a workflow of one HTTP step, and returns the run. */
async function run(step: object): Promise<RunDetails> {
  const { workflowId } = CheckedWorkflow.parse((await save(step)).body)
  return RunDetails.parse((await rest('POST', `/workflows/${workflowId}/test`, { payload })).body)
}

async function sentBody(step: object): Promise<string> {
  const { status } = await run(step)
  expect(status).toBe('succeeded')
  return system.requests.at(-1)?.body ?? ''
}

/** Returns the fields of a form in the order in which they came, read by Python. */
function readByPython(form: string): unknown {
  const program =
    'import sys,json,urllib.parse;print(json.dumps(urllib.parse.parse_qs(sys.stdin.read(),strict_parsing=True)))'
  return JSON.parse(execFileSync('python3', ['-c', program], { input: form, encoding: 'utf8' }))
}

const nested = { 'lines[0][sku]': ['A'], 'lines[1][sku]': ['B'], one: ['x'], 'mixed[1][b]': ['1'] }
const missing = missingOf('python3')

describe.skipIf(missing.length > 0)(titled('the lists of a form, read by Python', missing), () => {
  test.each([
    [
      'repeat',
      {
        ...nested,
        tags: payload.tags,
        ...{ 'lines[0][sizes]': ['1', '2'], 'order[tags]': ['x'], mixed: ['a'] },
        ...{ 'grid[0]': ['1', '2'], 'grid[1]': ['3'] },
      },
    ],
    [
      'brackets',
      {
        ...nested,
        'tags[]': payload.tags,
        ...{ 'lines[0][sizes][]': ['1', '2'], 'order[tags][]': ['x'], 'mixed[]': ['a'] },
        ...{ 'grid[0][]': ['1', '2'], 'grid[1][]': ['3'] },
      },
    ],
    [
      'indexed',
      {
        ...nested,
        ...{ 'tags[0]': ['a'], 'tags[1]': ['b c'], 'tags[2]': ['d,e&f'] },
        ...{ 'lines[0][sizes][0]': ['1'], 'lines[0][sizes][1]': ['2'], 'order[tags][0]': ['x'] },
        ...{ 'mixed[0]': ['a'], 'grid[0][0]': ['1'], 'grid[0][1]': ['2'], 'grid[1][0]': ['3'] },
      },
    ],
    [
      'comma',
      {
        ...nested,
        tags: ['a,b c,d,e&f'],
        ...{ 'lines[0][sizes]': ['1,2'], 'order[tags]': ['x'], 'mixed[0]': ['a'] },
        ...{ 'grid[0]': ['1,2'], 'grid[1]': ['3'] },
      },
    ],
  ])('%s', async (lists, expected) => {
    expect(readByPython(await sentBody({ headers, body, form: { lists } }))).toEqual(expected)
  })
})

test('without a choice, a list repeats its name', async () => {
  const plain = await sentBody({ headers, body })
  expect(plain).toBe(await sentBody({ headers, body, form: { lists: 'repeat' } }))
  expect(plain).toMatch(/^tags=a&tags=b%20c&tags=d%2Ce%26f&lines%5B0%5D%5Bsku%5D=A&/)
})

test('a name that has its brackets already gets no more', async () => {
  const form = { lists: 'brackets' }
  expect(await sentBody({ headers, body: { 'tags[]': ['a', 'b'], 'expand[]': 'c' }, form })).toBe(
    'tags%5B%5D=a&tags%5B%5D=b&expand%5B%5D=c',
  )
})

test('an item with a comma is not read as two by a receiver that splits before it decodes', async () => {
  expect(await sentBody({ headers, body: { tags: '{{tags}}' }, form: { lists: 'comma' } })).toBe(
    'tags=a,b%20c,d%2Ce%26f',
  )
})

test('a payment of Stripe names its payment methods in brackets', async () => {
  const step = {
    headers: { ...headers, Authorization: 'Bearer {{$env.STRIPE_KEY}}' },
    body: {
      amount: 1999,
      currency: 'eur',
      payment_method_types: ['card'],
      expand: ['customer', '{{$env.EXPANDED}}'],
      metadata: { order: '{{order.tags.0}}' },
    },
    form: { lists: 'brackets' },
  }
  await rest('PUT', '/environment/STRIPE_KEY', { value: 'sk_test_0123456789' })
  await rest('PUT', '/environment/EXPANDED', { value: 'plan' })
  const { status, steps } = await run(step)
  expect(status).toBe('succeeded')
  expect([...new URLSearchParams(system.requests[0]?.body)]).toEqual([
    ['amount', '1999'],
    ['currency', 'eur'],
    ['payment_method_types[]', 'card'],
    ['expand[]', 'customer'],
    ['expand[]', 'plan'],
    ['metadata[order]', 'x'],
  ])
  // The run shows what was sent, with masks.
  expect(steps[0]?.attempts[0]?.input).toMatchObject({ body: { expand: ['customer', '••••'] } })
})

test.each<[string, object, boolean]>([
  ['a form', { headers, body, form: { lists: 'brackets' } }, false],
  ['a variable that may be an object', { headers, body: '{{order}}', form: { lists: 'comma' } }, false],
  [
    'a type from a variable',
    { headers: { 'Content-Type': '{{type}}' }, body, form: { lists: 'comma' } },
    false,
  ],
  ['JSON', { body, form: { lists: 'brackets' } }, true],
  ['another type', { headers: { 'Content-Type': 'text/plain' }, body, form: { lists: 'indexed' } }, true],
  ['a text', { headers, body: 'a=1', form: { lists: 'brackets' } }, true],
  ['no body', { headers, form: { lists: 'brackets' } }, true],
  ['a GET', { method: 'GET', headers, form: { lists: 'brackets' } }, true],
])('lists that are not written as the step says have a warning: %s', async (_, step, warns) => {
  const { issues } = CheckedWorkflow.parse((await save(step)).body)
  const found = issues.filter(({ path }) => path === 'steps.0.form')
  const issue = { code: 'body_mismatch', severity: 'warning' }
  expect(found).toEqual(warns ? [expect.objectContaining(issue)] : [])
})

test('another way to write lists is refused', async () => {
  const { status, body: refused } = await save({ headers, body, form: { lists: 'pipe' } })
  expect(status).toBe(400)
  expect(refused).toMatchObject({ data: { issues: [{ path: 'steps.0.form.lists' }] } })
})

test('the way to write lists is part of the document', async () => {
  const { workflowId } = CheckedWorkflow.parse(
    (await save({ headers, body, form: { lists: 'indexed' } })).body,
  )
  const { body: document } = await rest('GET', `/workflows/${workflowId}/export`)
  expect(document).toMatchObject({ workflow: { steps: [{ form: { lists: 'indexed' } }] } })
  const { body: imported } = await rest('POST', '/workflows/import', document)
  expect(imported).toMatchObject({ workflow: { steps: [{ form: { lists: 'indexed' } }] } })
})
