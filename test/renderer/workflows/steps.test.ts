import { describe, expect, test } from 'vitest'
import { type Path, placedSteps, stepNumbers } from '#renderer/entities/workflow/step-paths.ts'
import {
  copyStep,
  freeKey,
  hasRoom,
  insertStep,
  keysOf,
  moveStep,
  newStep,
  removeStep,
  renameStep,
  replaceStep,
  stepAt,
  stepOver,
} from '#renderer/features/workflows/builder/steps.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'

const notify = (key: string, message = ''): Step => ({ key, type: 'notify', message })
const each = (key: string, ...steps: Step[]): Step => ({ key, type: 'each', items: '{{lines}}', steps })
const branch = (key: string, one: Step[], otherwise: Step[]): Step => ({
  key,
  type: 'branch',
  cases: [{ when: { value: '{{total}}', operator: 'greater', operand: 500 }, steps: one }],
  otherwise,
})

const steps = [
  notify('first'),
  branch('check', [notify('large')], [each('lines', notify('line'))]),
  notify('last'),
]
const large: Path = ['steps', 1, 'cases', 0, 'steps', 0]
const line: Path = ['steps', 1, 'otherwise', 0, 'steps', 0]

/** The keys as a tree: `first check(large|lines(line)) last`. */
function tree(list: readonly Step[]): string {
  return list
    .map(step => {
      if (step.type === 'each') return `${step.key}(${tree(step.steps)})`
      if (step.type !== 'branch') return step.key
      return `${step.key}(${[...step.cases.map(one => tree(one.steps)), tree(step.otherwise)].join('|')})`
    })
    .join(' ')
}

describe('the steps of a workflow', () => {
  test('are inserted, replaced and removed at any depth', () => {
    const { steps: more, path } = insertStep(steps, { list: line.slice(0, -1), index: 1 }, notify('next'))
    expect(tree(more)).toBe('first check(large|lines(line next)) last')
    expect(stepAt(more, path)).toEqual(notify('next'))
    expect(tree(removeStep(more, large))).toBe('first check(|lines(line next)) last')
    expect(stepAt(replaceStep(steps, large, notify('other')), large)).toEqual(notify('other'))
    expect(tree(steps)).toBe('first check(large|lines(line)) last')
  })

  test('are numbered by their nesting', () => {
    const numbers = stepNumbers(steps)
    expect(placedSteps(steps).map(({ path }) => numbers.get(path.join('.')))).toEqual([
      '1',
      '2',
      '2.1',
      '2.2',
      '2.2.1',
      '3',
    ])
  })

  test('pass every place on their way down and back up', () => {
    const trees: string[] = []
    let [now, path]: [Step[], Path] = [steps, ['steps', 0]]
    for (let next = stepOver(now, path, 1); next !== null; next = stepOver(now, path, 1)) {
      ;[now, path] = [next.steps, next.path]
      trees.push(tree(now))
    }
    expect(trees).toEqual([
      'check(first large|lines(line)) last',
      'check(large first|lines(line)) last',
      'check(large|first lines(line)) last',
      'check(large|lines(first line)) last',
      'check(large|lines(line first)) last',
      'check(large|lines(line) first) last',
      'check(large|lines(line)) first last',
      'check(large|lines(line)) last first',
    ])
    for (let next = stepOver(now, path, -1); next !== null; next = stepOver(now, path, -1))
      [now, path] = [next.steps, next.path]
    expect(now).toEqual(steps)
  })

  test('move to a slot before or after their own, but not into themselves', () => {
    const move = (from: Path, list: Path, index: number) => {
      const moved = moveStep(steps, from, { list, index })
      return moved && [tree(moved.steps), moved.path.join('.')]
    }
    expect(move(['steps', 0], ['steps'], 3)).toEqual(['check(large|lines(line)) last first', 'steps.2'])
    expect(move(['steps', 2], ['steps'], 0)).toEqual(['last first check(large|lines(line))', 'steps.0'])
    expect(move(['steps', 0], line.slice(0, -1), 1)).toEqual([
      'check(large|lines(line first)) last',
      'steps.0.otherwise.0.steps.1',
    ])
    expect(move(large, ['steps'], 1)?.[0]).toBe('first large check(|lines(line)) last')
    expect(move(['steps', 1], line.slice(0, -1), 0)).toBeNull()
    expect(move(['steps', 0], ['steps'], 1)).toBeNull()
  })

  test('nest at most eight levels deep', () => {
    const deep = [1, 2, 3, 4, 5, 6].reduce((inner, level) => each(`level_${level}`, inner), each('level_0'))
    const list = ['steps', ...Array.from({ length: 7 }, () => [0, 'steps']).flat()]
    expect(hasRoom([deep], { list, index: 0 })).toBe(true)
    expect(hasRoom([deep], { list, index: 0 }, each('loop', notify('inside')))).toBe(false)
    const two = [deep, each('loop', notify('inside'))]
    expect(moveStep(two, ['steps', 1], { list, index: 0 })).toBeNull()
    expect(stepOver(two, ['steps', 1], -1)?.path).toEqual(['steps', 0, 'steps', 1])
  })

  test('are copied with keys of their own, also in their variables', () => {
    const loop = each(
      'lines',
      notify('line'),
      notify('told', '{{steps.line.message}} {{steps.first.message}}'),
    )
    const copied = copyStep([notify('first'), loop, notify('line_2')], ['steps', 1])
    expect(copied && tree(copied.steps)).toBe('first lines(line told) lines_2(line_3 told_2) line_2')
    expect(copied && stepAt(copied.steps, [...copied.path, 'steps', 1])).toMatchObject({
      message: '{{steps.line_3.message}} {{steps.first.message}}',
    })
  })

  test('keep their references when a key changes', () => {
    const told = notify(
      'told',
      'As {{ steps.first.message }}, not {{steps.firsts.x}} or {{first}} {{steps["first"]["a b"].c}}',
    )
    const request: Step = {
      key: 'request',
      type: 'http',
      method: 'POST',
      url: 'https://example.com',
      body: { of: ['{{steps.first.id}}', 1, null] },
    }
    const renamed = renameStep([notify('first'), told, each('all', request)], ['steps', 0], 'begin')
    expect(keysOf(renamed)).toEqual(['begin', 'told', 'all', 'request'])
    expect(renamed[1]).toMatchObject({
      message: 'As {{steps.begin.message}}, not {{steps.firsts.x}} or {{first}} {{steps.begin["a b"].c}}',
    })
    expect(stepAt(renamed, ['steps', 2, 'steps', 0])).toMatchObject({
      body: { of: ['{{steps.begin.id}}', 1, null] },
    })
  })

  test('begin with a free key', () => {
    expect(newStep('notify', [notify('notify')]).key).toBe('notify_2')
    expect(freeKey('call_2', new Set(['call', 'call_2', 'call_3']))).toBe('call_4')
  })
})
