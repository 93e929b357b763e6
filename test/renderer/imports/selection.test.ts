import { describe, expect, test } from 'vitest'
import {
  choiceOf,
  initialSelection,
  rowsOf,
  type Selection,
  takeLabel,
  tickedEntry,
  tickedSection,
  withEntries,
  withField,
} from '#renderer/features/imports/reimport/selection.ts'
import { diffWords } from '#renderer/features/imports/reimport/word-diff.ts'
import type { ImportComparison } from '#shared/model/import-comparison.ts'

const now = Date.parse('2026-11-28T00:00:00.000Z')
const entry = (operation: string) => ({
  ...{ operation, kind: 'action' as const, name: operation, label: null, method: 'GET' as const },
})
const field = (name: string, edited = false) => ({
  ...{ field: name, before: 'a', after: 'b', edited, editedAt: edited ? '2026-11-03T00:00:00.000Z' : null },
})
const changed = (operation: string, fields: ReturnType<typeof field>[]) => ({
  ...{ ...entry(operation), id: `act_${operation}`, fields, kept: [], workflows: [] },
})
const comparison: ImportComparison = {
  ...{ hash: 'a', updatedAt: '2026-11-28T00:00:00.000Z', format: 'openapi', documentVersion: null },
  added: [{ ...entry('new'), inputs: 0, isEnabled: true }],
  changed: [
    changed('both', [field('path'), field('name'), field('description', true)]),
    changed('own', [field('name', true)]),
  ],
  removed: [
    {
      ...{ ...entry('gone'), id: 'act_gone', edited: false, editedAt: null },
      ...{ lastCalledAt: null, workflows: [] },
    },
    {
      ...{ ...entry('used'), id: 'act_used', edited: false, editedAt: null },
      ...{ lastCalledAt: '2026-11-27T00:00:00.000Z', workflows: [] },
    },
  ],
  ...{ same: 1, notTaken: 0 },
}
const rows = rowsOf(comparison)
const rowOf = (key: string) => {
  const row = rows.find(one => one.key === key)
  if (row === undefined) throw new Error(`There is no ${key}.`)
  return row
}
const first = initialSelection(comparison, now)
const shown = (selection: Selection) =>
  Object.fromEntries([...selection].map(([name, fields]) => [name, [...fields]]))

describe('what is ticked', () => {
  test('is at first all but own edits and actions in use', () => {
    expect(shown(first)).toEqual({ new: [], both: ['path', 'name'], gone: [] })
    expect(takeLabel(comparison, first)).toBe('Add 1, change 1, disable 1')
    expect(choiceOf(comparison, first)).toEqual({
      apply: ['new', 'both', 'gone'],
      fields: { both: ['path', 'name'] },
    })
  })

  test('shows an entry as a whole, in part or not at all', () => {
    const of = (selection: Selection, key: string) => tickedEntry(selection, rowOf(key))
    expect(of(first, 'changed both')).toBe('all')
    expect(of(withField(first, 'both', 'path', false), 'changed both')).toBe('some')
    expect(of(first, 'changed own')).toBe('none')
    expect(tickedSection(first, rows, 'changed')).toBe('some')
    expect(tickedSection(first, rows, 'added')).toBe('all')
    expect(tickedSection(first, rows, 'removed')).toBe('some')
  })

  test('takes own edits of an entry only where it has nothing else, or field by field', () => {
    const all = withEntries(new Map(), rows, true)
    expect(shown(all)).toEqual({ new: [], both: ['path', 'name'], own: ['name'], gone: [], used: [] })
    const one = withField(new Map(), 'both', 'description', true)
    expect(shown(one)).toEqual({ both: ['description'] })
    expect(shown(withField(one, 'both', 'description', false))).toEqual({})
    expect(takeLabel(comparison, withEntries(all, rows, false))).toBeNull()
  })
})

describe('the words of two texts', () => {
  const own = (parts: ReturnType<typeof diffWords>['before']) =>
    parts.filter(({ isOwn }) => isOwn).map(({ text }) => text)

  test('that only one side has are marked', () => {
    const { before, after } = diffWords('the old amount', 'the amount in cents')
    expect(own(before)).toEqual(['old '])
    expect(own(after)).toEqual(['in cents'])
    expect(after.map(({ text }) => text).join('')).toBe('the amount in cents')
  })

  test('are all marked where the other side has none, and none where there are too many', () => {
    expect(own(diffWords('', 'all new').after)).toEqual(['all new'])
    expect(own(diffWords('a '.repeat(3000), 'b').before)).toEqual([])
  })
})
