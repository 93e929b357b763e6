import { expect, test } from 'vitest'
import { Calendar } from '#shared/model/platform/calendar.ts'
import { Widget } from '#shared/model/platform/widget.ts'
import { problemsOf, readJson } from '../../../src-renderer/features/agent/draft-problems.ts'

test('an empty number is a problem at its field, with the message of the schema', () => {
  const widget = Widget.parse({ agentId: 'default' })
  expect(problemsOf(Widget, widget)).toEqual({})
  expect(problemsOf(Widget, { ...widget, openDelay: Number.NaN, bubbleColor: '#12' })).toEqual({
    openDelay: 'This must be a whole number of milliseconds from 0 to 600,000.',
    bubbleColor: 'Write a colour as #RGB, #RRGGBB or #RRGGBBAA, for example #3560E0.',
  })
})

test('a valid JSON text gives the object with its defaults', () => {
  expect(readJson(Widget, '{"agentId": "a"}')).toEqual({ value: Widget.parse({ agentId: 'a' }) })
})

test('problems of a JSON text are at their places, unknown fields at their key', () => {
  const text = '{\n  "positon": 1,\n  "agentId": "a",\n  "openDelay": 1.5\n}'
  const read = readJson(Widget, text)
  const problems = 'problems' in read ? read.problems : []
  expect(problems.map(({ from = -1 }) => text.slice(from, from + 9))).toEqual(['"positon"', '1.5\n}'])
  expect(problems[0]?.message).toContain('Did you mean `position`?')
  expect(problems[1]?.message).toMatch(/^`openDelay`: /)
})

test('a problem of a missing value is at what should contain it', () => {
  const text = '{"workingHours": {"monday": {"start": "09:00"}}}'
  const read = readJson(Calendar, text)
  const problems = 'problems' in read ? read.problems : []
  expect(problems.length).toBeGreaterThan(0)
  for (const { from = -1 } of problems) expect(text.slice(from)).toMatch(/^[{"]/)
})

test('a text that is not JSON is neither applied nor explained twice', () => {
  for (const text of ['', '{', 'null,']) expect(readJson(Widget, text)).toEqual({ problems: [] })
})
