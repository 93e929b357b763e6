import { expect, test } from 'vitest'
import type { ImportPreview, ImportResult, SkippedBecause } from '#shared/model/import-preview.ts'
import {
  doneTitle,
  entriesDone,
  importLabel,
  partsLabel,
  previewDelay,
  skippedLabel,
  skipsLabel,
} from '../../../src-renderer/features/imports/import-labels.ts'

test.each([
  [8, 6, '8 actions and 6 event types'],
  [1, 1, '1 action and 1 event type'],
  [0, 2, '2 event types'],
  [3, 0, '3 actions'],
  [0, 0, ''],
])('%d actions and %d event types: %s', (actions, eventTypes, words) => {
  expect(partsLabel(actions, eventTypes)).toBe(words)
})

const preview = (connectionId: string | null, actions: string[], eventTypes: string[]): ImportPreview => ({
  valid: true,
  recognized: null,
  placeholders: [],
  leftOut: [],
  leftOutTotal: 0,
  auth: [],
  servers: [],
  issues: [],
  unsupported: [],
  connection: { connectionId, name: 'Shop', baseUrl: null, persistEvents: false },
  actions: { create: actions, skip: [] },
  eventTypes: { create: eventTypes, skip: [] },
  environmentVariables: [],
  details: { documentBaseUrl: null, actions: [], eventTypes: [], environmentVariables: [] },
})

test('the button says what it imports', () => {
  expect(importLabel(preview(null, ['a', 'b'], ['x']))).toBe('Import 2 actions and 1 event type')
  expect(importLabel(preview('conn_1', [], ['x']))).toBe('Import 1 event type')
  expect(importLabel(preview(null, [], []))).toBe('Create the connection')
  expect(importLabel(preview('conn_1', [], []))).toBeNull()
})

test('a duplicate is described by its line and its reason', () => {
  expect(skippedLabel('tool name', 212, { kind: 'repeated', line: 9 })).toBe(
    'Line 212: same tool name as line 9',
  )
  expect(skippedLabel('event name', 7, { kind: 'present' })).toBe('Line 7: the connection has it already')
  expect(skipsLabel(1)).toBe('1 duplicate skipped')
  expect(skipsLabel(0)).toBeNull()
})

test('a long text has a longer debounce', () => {
  expect(previewDelay(5_000_000)).toBeGreaterThan(previewDelay(5000))
})

const result = (actions: string[], eventTypes: string[]): ImportResult => ({
  connectionId: 'conn_1',
  connectionIds: ['conn_1'],
  created: { actions, eventTypes },
  skipped: { actions: [], eventTypes: [] },
  warnings: [],
})

test('the last step says what was created, and where', () => {
  const { connection: made } = preview(null, [], [])
  const { connection: there } = preview('conn_1', [], [])
  expect(doneTitle(result(['a'], ['x', 'y']), made)).toBe('Shop created with 1 action and 2 event types')
  expect(doneTitle(result([], []), made)).toBe('Shop created')
  const several = { connectionIds: ['conn_1', 'conn_2'] }
  expect(doneTitle({ ...result(['a'], ['x']), ...several }, made)).toBe(
    '1 action and 1 event type in 2 connections',
  )
  expect(doneTitle({ ...result([], []), ...several }, made)).toBe('2 connections have all of it already')
  expect(doneTitle(result(['a', 'b'], []), there)).toBe('2 actions added to Shop')
  expect(doneTitle(result([], []), there)).toBe('Shop has all of it already')
})

test('an entry created since the preview is skipped, and the first of two with one name is created', () => {
  const entry = (toolName: string, line: number, skippedBecause: SkippedBecause | null) => ({
    toolName,
    operation: 'GET /',
    tags: [],
    method: 'GET' as const,
    path: '/',
    isEnabled: true,
    environmentVariables: [],
    parameters: 0,
    placeholders: [],
    line,
    skippedBecause,
  })
  const repeated: SkippedBecause = { kind: 'repeated', line: 1 }
  const details = {
    documentBaseUrl: null,
    actions: [entry('a', 1, null), entry('a', 2, repeated), entry('b', 3, null)],
    eventTypes: [],
    environmentVariables: [],
  }
  expect(entriesDone(details, result(['a'], [])).actions.map(one => one.skippedBecause)).toEqual([
    null,
    repeated,
    { kind: 'present' },
  ])
})
