import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WorkflowFields } from '#shared/model/workflow.ts'
import {
  interpret,
  knownOutcome,
  maxRunSteps,
  type Outcome,
  type Request,
} from '#shared/workflows/interpreter.ts'
import { maxItems } from '#shared/workflows/steps/each.ts'
import type { End } from '#shared/workflows/steps/step-kind.ts'

const payload = {
  eventName: 'order.paid',
  connectionId: 'conn_1',
  total: 149,
  lines: [{ sku: 'A' }, { sku: 'B' }],
  at: '2026-11-22T10:00:00Z',
  text: 'x'.repeat(2001),
}

/** Returns checked steps from what a user would write. */
function stepsOf(...steps: unknown[]) {
  return WorkflowFields.parse({ name: 'W', trigger: { type: 'external.event' }, steps }).steps
}

const notify = (key: string, message = key, more = {}) => ({ key, type: 'notify', message, ...more })
const action = (key: string, given = {}, more = {}) => ({
  key,
  type: 'action',
  connectionId: 'conn_2',
  toolName: 'reserve',
  arguments: given,
  ...more,
})
const equals = (value: string, operand: unknown) => ({ value, operator: 'equals', operand })

/** Runs to the end; `answer` says how each step goes. */
function run(
  steps: ReturnType<typeof stepsOf>,
  answer: (request: Request) => Outcome,
  given: Record<string, unknown> = payload,
) {
  const interpretation = interpret(steps, given, () => undefined)
  const requests: Request[] = []
  let next = interpretation.next()
  while (next.done !== true) {
    requests.push(next.value)
    next = interpretation.next(knownOutcome(next.value.effect) ?? answer(next.value))
  }
  return { requests, paths: requests.map(({ path }) => path), end: next.value }
}

const ok = (output: unknown = null): Outcome => ({ ok: true, output })
const refused: Outcome = { ok: false, error: { code: 'http_status', message: 'Answered 422.' } }
const fine = () => ok()

describe('a workflow', () => {
  test('takes its steps in order and reads the outputs of earlier ones', () => {
    const steps = stepsOf(
      action('first', { total: '{{total}}' }),
      action('second', { id: '{{steps.first.id}}', none: '{{no.such}}' }),
    )
    const { requests, end } = run(steps, ({ key }) => ok({ id: `${key}-1` }))
    expect(requests.map(({ input, absent }) => ({ input, absent }))).toEqual([
      { input: { total: 149 }, absent: [] },
      { input: { id: 'first-1' }, absent: ['no.such'] },
    ])
    expect(end).toEqual({ status: 'succeeded', error: null })
  })

  test('takes the first case that holds, or otherwise', () => {
    const steps = stepsOf(
      {
        key: 'branch',
        type: 'branch',
        cases: [
          { when: equals('{{eventName}}', 'order.open'), steps: [notify('open')] },
          { when: equals('{{eventName}}', 'order.paid'), steps: [notify('paid')] },
          { when: equals('{{total}}', 149), steps: [notify('never')] },
        ],
        otherwise: [notify('otherwise')],
      },
      notify('after'),
    )
    expect(run(steps, fine).paths).toEqual(['branch', 'paid', 'after'])
    const other = run(steps, fine, { ...payload, eventName: 'x', total: 1 })
    expect(other.paths).toEqual(['branch', 'otherwise', 'after'])
    expect(other.requests[0]?.effect).toEqual({ kind: 'decided', output: { case: null } })
  })

  test('reads the output of a step inside a branch after the branch', () => {
    const branch = {
      key: 'branch',
      type: 'branch',
      cases: [{ when: equals('1', 1), steps: [action('inner')] }],
    }
    const { requests } = run(stepsOf(branch, notify('after', '{{steps.inner.id}}')), () => ok({ id: 7 }))
    expect(requests.at(-1)?.input).toEqual({ message: '7' })
  })

  test('repeats the steps of a loop for each item, each with a path and outputs of its own', () => {
    const steps = stepsOf(
      {
        key: 'lines',
        type: 'each',
        items: '{{lines}}',
        steps: [
          action('pick', { sku: '{{item.sku}}', index: '{{index}}' }),
          notify('picked', '{{steps.pick.id}}'),
        ],
      },
      notify('after', '{{steps.lines.items}}: {{steps.pick.id}}'),
    )
    const { requests, paths } = run(steps, ({ path }) => ok({ id: path }))
    expect(paths).toEqual([
      'lines',
      'lines.0.pick',
      'lines.0.picked',
      'lines.1.pick',
      'lines.1.picked',
      'after',
    ])
    expect(requests.map(({ input }) => input)).toEqual([
      null,
      { sku: 'A', index: 0 },
      { message: 'lines.0.pick' },
      { sku: 'B', index: 1 },
      { message: 'lines.1.pick' },
      { message: '2: ' },
    ])
  })

  test.each([
    ['retry', ['a']],
    ['stop', ['a']],
    ['continue', ['a', 'b']],
  ])('with onFailure %s takes the steps %j after a failure', (onFailure, expected) => {
    const { paths, end } = run(stepsOf(action('a', {}, { onFailure }), notify('b')), ({ key }) =>
      key === 'a' ? refused : ok(),
    )
    expect(paths).toEqual(expected)
    expect(end.status).toBe(onFailure === 'continue' ? 'succeeded' : 'failed')
  })

  test.each([
    ['succeeded', undefined, { status: 'succeeded', error: null }],
    ['failed', '{{text}}', { status: 'failed', error: { code: 'stopped', message: 'x'.repeat(2000) } }],
    ['failed', 'Total {{total}}', { status: 'failed', error: { code: 'stopped', message: 'Total 149' } }],
    [
      'failed',
      undefined,
      { status: 'failed', error: { code: 'stopped', message: 'A stop step ended the run.' } },
    ],
  ])('ends at a stop step: %s', (outcome, message, expected) => {
    const loop = {
      key: 'lines',
      type: 'each',
      items: '{{lines}}',
      steps: [{ key: 'stop', type: 'stop', outcome, message }],
    }
    const { paths, end } = run(stepsOf(loop, notify('never')), fine)
    expect([paths, end]).toEqual([['lines', 'lines.0.stop'], expected])
  })

  test.each([
    ['{{at}}', { kind: 'wait', until: Date.UTC(2026, 10, 22, 10) }],
    ['1795290958474', { kind: 'wait', until: 1_795_290_958_474 }],
  ])('waits until %s', (until, effect) => {
    expect(run(stepsOf({ key: 'wait', type: 'wait', until }), fine).requests[0]?.effect).toEqual(effect)
  })

  test.each([
    ['a number in seconds', 1795290958, 'seconds'],
    ['a date that does not exist', '2026-11-31T09:00:00Z', 'its month has 30 days'],
    ['a time without an offset', '2026-11-30T09:00:00', 'no offset'],
    ['a date without a time of day', '2026-12-24', 'no time of day'],
    ['anything else', 'tomorrow', 'not a time'],
  ])('fails with invalid_time for %s, without its value in the error', (_, due, problem) => {
    const steps = stepsOf({ key: 'wait', type: 'wait', until: '{{due}}' })
    const { requests, end } = run(steps, fine, { ...payload, due })
    expect(end.error).toEqual({ code: 'invalid_time', message: expect.stringContaining(problem) })
    expect(end.error?.message).not.toContain(String(due))
    expect(requests[0]?.input).toEqual({ until: String(due) })
  })

  test('encodes variables in the URL of a request, and its body as JSON', () => {
    const step = {
      key: 'get',
      type: 'http',
      method: 'POST',
      url: 'https://x.example/{{id}}?q={{q}}',
      headers: { 'X-Id': '{{id}}' },
      body: { n: '{{total}}' },
    }
    const { requests } = run(stepsOf(step), fine, { ...payload, id: '../a?', q: 'x&y' })
    expect(requests[0]?.effect).toMatchObject({
      url: 'https://x.example/..%2Fa%3F?q=x%26y',
      headers: { 'X-Id': '../a?', 'Content-Type': 'application/json' },
      body: '{"n":149}',
    })
  })

  test.each([
    ['https://x.example/orders/{{id}}/cancel', '..'],
    ['https://x.example/orders/{{id}}?a=b', '.'],
    ['https://x.example/orders/.{{id}}', '.'],
    ['https://x.example/orders/{{id}}%2e', '.'],
    ['https://x.example/a\\{{id}}\\orders', '..'],
  ])('fails with invalid_path if a variable of %s would lead to another path', (url, id) => {
    const steps = stepsOf({ key: 'get', type: 'http', method: 'POST', url })
    expect(new URL(url.replace('{{id}}', id)).pathname).not.toContain(id)
    expect(run(steps, fine, { ...payload, id }).end.error?.code).toBe('invalid_path')
    expect(run(steps, fine, { ...payload, id: '...' }).end.status).toBe('succeeded')
    expect(
      run(stepsOf({ key: 'a', type: 'http', method: 'GET', url: 'https://x.example/?q=/{{id}}/' }), fine, {
        ...payload,
        id,
      }).end.status,
    ).toBe('succeeded')
  })

  test.each([
    ['not_a_list', '{{total}}', payload],
    ['not_a_list', '{{nothing}}', payload],
    ['too_many_items', '{{lines}}', { ...payload, lines: Array(maxItems + 1).fill(0) }],
  ])('fails with %s where a loop cannot run over %s', (code, items, given) => {
    const { end } = run(stepsOf({ key: 'each', type: 'each', items, steps: [notify('n')] }), fine, given)
    expect(end.error?.code).toBe(code)
  })

  test('fails with input_too_large instead of rendering more than 1 MiB', () => {
    const steps = stepsOf(notify('n', '{{big}}'.repeat(20)))
    expect(run(steps, fine, { ...payload, big: 'x'.repeat(100_000) }).end.error?.code).toBe('input_too_large')
  })

  const long = 'a'.repeat(900_000)
  const branch = (...when: unknown[]) => ({
    ...{ key: 'check', type: 'branch' },
    cases: when.map(one => ({ when: one, steps: [] })),
  })
  const nested = (steps: unknown[]) => ({
    ...{ key: 'outer', type: 'each', items: '{{hundred}}' },
    steps: [{ key: 'inner', type: 'each', items: '{{hundred}}', steps }],
  })
  const exists = { value: '', operator: 'exists' }
  test.each([
    ['searches a long text', nested([branch({ value: '{{long}}', operator: 'contains', operand: 'b' })])],
    ['searches a long list', nested([branch({ value: '{{list}}', operator: 'contains', operand: 'b' })])],
    ['compares long lists', nested([branch({ value: '{{half}}', operator: 'equals', operand: '{{half}}' })])],
    ['writes long messages', nested([notify('n', 'All of {{long}}')])],
    [
      'evaluates many empty conditions',
      nested([branch({ any: Array(19).fill({ any: Array(50).fill(exists) }) })]),
    ],
    ['has many variables', nested([notify('n', '{{b}}'.repeat(1500))])],
    [
      'has many items without steps',
      nested([{ key: 'empty', type: 'each', items: '{{thousand}}', steps: [] }]),
    ],
  ])('fails with too_much_work instead of computing for long if it %s', (_, step) => {
    const data = {
      ...{ long, list: Array(80_000).fill('aaaaaaa'), half: Array(40_000).fill('aaaaaaa') },
      ...{ hundred: Array(100).fill(0), thousand: Array(1000).fill(0) },
    }
    const { end, requests } = run(stepsOf(step), fine, { ...payload, ...data })
    expect(end).toMatchObject({ status: 'failed', error: { code: 'too_much_work' } })
    expect(requests.length).toBeGreaterThan(50)
  })

  test('may compute as much as a large event and a long loop need', () => {
    const lines = Array.from({ length: 1000 }, (_, index) => ({ sku: `KB-${index}`, text: 'x'.repeat(800) }))
    const conditions = Array(9).fill({ value: '{{item.text}}', operator: 'contains', operand: 'y' })
    const search = branch({ value: '{{lines}}', operator: 'contains', operand: 'KB-9' })
    const loop = { key: 'loop', type: 'each', items: '{{lines}}', steps: [branch({ any: conditions })] }
    const { end } = run(stepsOf({ ...search, key: 'first' }, loop), fine, { ...payload, lines })
    expect(end.status).toBe('succeeded')
  })

  test(`fails with too_many_steps after ${maxRunSteps} steps`, () => {
    const inner = { key: 'inner', type: 'each', items: '{{lines}}', steps: [notify('n')] }
    const steps = stepsOf({ key: 'outer', type: 'each', items: '{{lines}}', steps: [inner] })
    const { requests, end } = run(steps, fine, { ...payload, lines: Array(200).fill(0) })
    expect([requests.length, end.error?.code]).toEqual([maxRunSteps, 'too_many_steps'])
  })
})

describe('any workflow', () => {
  let count = 0
  const key = () => `k${count++}`
  const policy = fc.constantFrom('retry', 'continue', 'stop')
  const text = fc.constantFrom('{{total}}', '{{lines}}', '{{steps.k0}}', '{{item.sku}}', '{{nothing}}', 'x')
  const leaf = fc.oneof(
    fc
      .record({ text, onFailure: policy })
      .map(({ text, onFailure }) => action(key(), { text }, { onFailure })),
    text.map(message => notify(key(), message)),
    text.map(until => ({ key: key(), type: 'wait', until, onFailure: 'continue' })),
    fc.constantFrom('succeeded', 'failed').map(outcome => ({ key: key(), type: 'stop', outcome })),
  )
  const { list } = fc.letrec<{ step: unknown; list: unknown[] }>(tie => ({
    step: fc.oneof(
      { maxDepth: 4 },
      { arbitrary: leaf, weight: 4 },
      {
        arbitrary: fc.record({ value: text, a: tie('list'), b: tie('list') }).map(({ value, a, b }) => ({
          key: key(),
          type: 'branch',
          cases: [{ when: { value, operator: 'exists' }, steps: a }],
          otherwise: b,
        })),
        weight: 1,
      },
      {
        arbitrary: fc
          .record({ items: text, steps: tie('list') })
          .map(({ items, steps }) => ({ key: key(), type: 'each', items, steps, onFailure: 'continue' })),
        weight: 1,
      },
    ),
    list: fc.array(tie('step'), { maxLength: 3 }),
  }))
  const outcomes = fc.infiniteStream(
    fc.oneof(
      { arbitrary: fc.jsonValue().map(ok), weight: 5 },
      { arbitrary: fc.constant(refused), weight: 1 },
    ),
  )

  test('ends once, in the same way, whatever its effects give and however often it is interrupted', () => {
    fc.assert(
      fc.property(list, outcomes, fc.infiniteStream(fc.nat(4)), (given, answers, crashes) => {
        const steps = stepsOf(...given)
        const stored = new Map<string, Outcome>()
        const answer = ({ path }: Request) => {
          const outcome = stored.get(path) ?? answers.next().value
          stored.set(path, outcome)
          return outcome
        }
        const ends: End[] = []
        const performed: string[] = []
        for (let attempt = 0; ends.length === 0; attempt++) {
          // Each start performs a few effects that are not stored yet, then is lost without notice.
          let left = attempt > 1000 ? Number.POSITIVE_INFINITY : crashes.next().value
          const interpretation = interpret(steps, payload, () => undefined)
          let next = interpretation.next()
          while (next.done !== true) {
            const { effect, path } = next.value
            if (!stored.has(path) && knownOutcome(effect) === null) {
              if (left-- === 0) break
              performed.push(path)
            }
            next = interpretation.next(knownOutcome(effect) ?? answer(next.value))
          }
          if (next.done === true) ends.push(next.value)
        }
        expect(new Set(performed).size).toBe(performed.length)
        const whole = run(steps, request => stored.get(request.path) ?? refused)
        expect(ends).toEqual([whole.end])
        expect(new Set(whole.paths).size).toBe(whole.paths.length)
      }),
    )
  })
})
