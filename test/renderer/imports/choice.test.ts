import { expect, test } from 'vitest'
import type { ImportPreview } from '#shared/model/import-preview.ts'
import {
  chosenPart,
  nothingUnchecked,
  partLeftOut,
  selectionOf,
  withChecked,
} from '../../../src-renderer/features/imports/choice.ts'
import { grouped } from '../../../src-renderer/features/imports/issues.ts'

const action = (toolName: string, environmentVariables: string[], isPresent = false) => ({
  toolName,
  operation: 'GET /',
  tags: [],
  method: 'GET' as const,
  path: '/',
  isEnabled: true,
  environmentVariables,
  parameters: 0,
  placeholders: [],
  line: 1,
  skippedBecause: isPresent ? { kind: 'present' as const } : null,
})
const variable = (name: string, actions: number) => ({ name, headers: ['X-Key'], actions, sources: [] })
const preview: ImportPreview = {
  valid: true,
  recognized: null,
  placeholders: [],
  leftOut: [],
  leftOutTotal: 0,
  auth: [],
  servers: [],
  issues: [],
  unsupported: [
    { name: 'GET /a: tags', part: 'tags', reason: 'it is a list', toolName: 'a', line: 1, column: 1 },
    {
      name: 'HEAD /x',
      part: null,
      reason: 'actions support only the methods GET, POST, PUT, PATCH, DELETE',
      toolName: null,
      line: 2,
      column: 1,
    },
  ],
  connection: { connectionId: null, name: 'Shop', baseUrl: 'https://a.example', persistEvents: false },
  actions: { create: ['a', 'b'], skip: ['c'] },
  eventTypes: { create: [], skip: [] },
  environmentVariables: [
    { name: 'A', host: 'a.example' },
    { name: 'B', host: 'a.example' },
  ],
  details: {
    documentBaseUrl: null,
    actions: [action('a', ['A', 'B']), action('b', ['B']), action('c', ['A'], true)],
    eventTypes: [],
    environmentVariables: [variable('A', 1), variable('B', 2)],
  },
}

test('an action that is not ticked is removed with its variables and remarks', () => {
  const unchecked = withChecked(nothingUnchecked, 'actions', ['a'], false)
  const { actions, environmentVariables, details, unsupported } = chosenPart(preview, unchecked)
  expect(actions.create).toEqual(['b'])
  expect(environmentVariables.map(({ name }) => name)).toEqual(['B'])
  expect(details.environmentVariables).toEqual([variable('B', 1)])
  expect(unsupported.map(({ name }) => name)).toEqual(['HEAD /x'])
})

test('a variable of the sign-in, or of actions that are there, is still sent without any new action', () => {
  const auth = { in: 'header' as const, name: 'Authorization', value: 'Bearer {{TOKEN}}' }
  const signed: ImportPreview = {
    ...preview,
    connection: { connectionId: 'conn_1', name: 'Shop', baseUrl: null, persistEvents: false, auth },
    environmentVariables: ['A', 'B', 'TOKEN'].map(name => ({ name, host: 'a.example' })),
    details: {
      ...preview.details,
      environmentVariables: [variable('A', 1), variable('B', 5), variable('TOKEN', 2)],
    },
  }
  const unchecked = withChecked(nothingUnchecked, 'actions', ['a', 'b'], false)
  const { details, environmentVariables } = chosenPart(signed, unchecked)
  expect(details.environmentVariables).toEqual([variable('B', 3), variable('TOKEN', 0)])
  expect(environmentVariables.map(({ name }) => name)).toEqual(['B', 'TOKEN'])
})

test('a variable goes to the hosts of the servers with ticked actions, also where a connection is elsewhere', () => {
  const server = (url: string, connectionId: string | null = null) => ({
    ...{ url, operations: 1, chosen: true, alternative: false, connectionId, name: url },
    auth: { in: 'header' as const, name: 'X-Key', value: '{{KEY}}' },
  })
  const hosts = ['own.example', 'b.example', 'c.example']
  const several: ImportPreview = {
    ...preview,
    servers: [
      server('https://a.example', 'conn_1'),
      server('https://b.example'),
      server('https://c.example'),
    ],
    environmentVariables: hosts.map(host => ({ name: 'KEY', host })),
    details: {
      ...preview.details,
      actions: ['a', 'b', 'c'].map(name => ({ ...action(name, []), server: `https://${name}.example` })),
      environmentVariables: hosts.map(() => variable('KEY', 1)),
    },
  }
  const chosen = chosenPart(several, withChecked(nothingUnchecked, 'actions', ['b'], false))
  expect(chosen.environmentVariables.map(({ host }) => host)).toEqual(['own.example', 'c.example'])
  expect(chosen.servers.map(one => one.chosen)).toEqual([true, false, true])
})

test('a selection is null if everything is ticked, and keeps duplicates', () => {
  expect(selectionOf(preview, nothingUnchecked)).toBeNull()
  const unchecked = withChecked(nothingUnchecked, 'actions', ['a'], false)
  expect(selectionOf(preview, unchecked)).toEqual({ actions: ['b', 'c'], eventTypes: [] })
  expect(selectionOf(preview, withChecked(unchecked, 'actions', ['a'], true))).toBeNull()
})

test('the description of a lost part does not repeat its operation', () => {
  expect(preview.unsupported.map(partLeftOut)).toEqual([
    'tags: it is a list',
    'actions support only the methods GET, POST, PUT, PATCH, DELETE',
  ])
})

test('a repeated remark is shown once with all of its places', () => {
  const at = (line: number, message: string) => ({
    path: '',
    message,
    line,
    column: 1,
    severity: 'warning' as const,
  })
  expect(grouped([at(1, 'a'), at(2, 'b'), at(3, 'a')])).toEqual([
    {
      message: 'a',
      places: [
        { line: 1, column: 1 },
        { line: 3, column: 1 },
      ],
    },
    { message: 'b', places: [{ line: 2, column: 1 }] },
  ])
})
