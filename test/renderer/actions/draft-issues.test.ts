import { describe, expect, test } from 'vitest'
import { type ActionDraft, draftOf, newDraft } from '#renderer/features/actions/action-draft.ts'
import {
  draftIssues,
  firstIssue,
  sendingKeys,
  serverIssues,
} from '#renderer/features/actions/draft-issues.ts'

const notTaken = () => undefined

const good = draftOf({
  name: 'Look up',
  toolName: 'look_up',
  description: 'When asked.',
  method: 'GET',
  path: '/orders',
  headers: { 'X-Key': 'a', Accept: 'b' },
  parameters: [{ name: 'order_id', type: 'string', description: 'Which', required: true }],
  responseMapping: { id: 'order.id' },
  isEnabled: true,
})
const issuesOf = (change: Partial<ActionDraft>) =>
  Object.fromEntries(draftIssues({ ...good, ...change }, notTaken))

describe('the issues of a draft', () => {
  test('are none for a valid draft', () => {
    expect(issuesOf({})).toEqual({})
  })

  test('of a new draft name the empty fields, but not the tool name', () => {
    expect([...draftIssues(newDraft(''), notTaken).keys()]).toEqual(['name', 'description'])
  })

  test('are keyed by their fields', () => {
    expect(Object.keys(issuesOf({ name: ' ', toolName: 'No', path: '/a/{id}' }))).toEqual([
      'name',
      'toolName',
      'path',
    ])
  })

  test('of parameters are keyed by the ids of their rows', () => {
    const row = { type: 'string', description: 'x', required: true } as const
    const parameters = [
      { id: 20, name: '', type: 'string', description: '', required: false } as const,
      { id: 21, name: 'a b', ...row },
      { id: 22, name: 'page', ...row, description: '' },
      { id: 23, name: 'page', ...row },
    ]
    expect(issuesOf({ parameters })).toEqual({
      'parameters.21.name': 'A parameter name has 1 to 64 letters, digits, _ - . [ ].',
      'parameters.22.description': 'Describe the value of the parameter.',
      'parameters.23.name': 'The parameter page is repeated.',
    })
  })

  test('of how a parameter is sent are at its fields, also those that another field has caused', () => {
    const row = { id: 24, name: 'id', type: 'string', description: 'x', required: true, in: 'path' } as const
    const draft = {
      ...good,
      path: '/orders/{order_id}/{page}',
      parameters: [
        { ...row, wireName: 'order' },
        { ...row, id: 25, name: 'tags', in: 'query', isList: true, style: 'deep' },
        { ...row, id: 26, name: 'q', in: 'query', schema: { properties: { a: { type: 'text' } } } },
        { ...row, id: 27, name: 'v', in: 'query', unread: { schema: '{', value: '[' } },
      ],
    } satisfies ActionDraft
    expect(issuesOf(draft)).toEqual({
      'parameters.24.wireName': 'The path has no placeholder {order}.',
      path: 'No parameter fills {order_id}. Add a parameter of this name, or remove the placeholder.',
      'parameters.26.schema':
        'This must be one of string, number, integer, boolean, object, array, null, or a list of them.',
      'parameters.27.schema': 'The schema is not a JSON object yet.',
      'parameters.27.value': 'The value is not JSON yet, or has a number with more digits than are kept.',
    })
    expect([...sendingKeys(draft)]).toEqual(['parameters.24.wireName', 'path'])
    expect(firstIssue(draft, draftIssues(draft, notTaken))).toBe('path')
  })

  test('of header names differ from those of header values', () => {
    const headers = [
      { id: 30, name: 'Host', value: 'x' },
      { id: 31, name: '', value: 'x' },
      { id: 32, name: 'X-Key', value: '{{not closed' },
      { id: 33, name: 'x-key', value: 'x' },
    ]
    expect(Object.keys(issuesOf({ headers })).sort()).toEqual([
      'headers.30.name',
      'headers.31.name',
      'headers.32.value',
      'headers.33.name',
    ])
  })

  test('of a mapping find repeated aliases and invalid paths', () => {
    const responseMapping = [
      { id: 40, alias: 'id', path: 'order.id' },
      { id: 41, alias: 'id', path: 'refund.id' },
      { id: 42, alias: 'sku', path: 'items..sku' },
      { id: 43, alias: '', path: 'items' },
      { id: 44, alias: 'x'.repeat(65), path: 'items' },
    ]
    expect(Object.keys(issuesOf({ responseMapping })).sort()).toEqual([
      'responseMapping.41.alias',
      'responseMapping.42.path',
      'responseMapping.43.alias',
      'responseMapping.44.alias',
    ])
  })

  test('name the other action with the same tool name, also while it follows the name', () => {
    const takenBy = (toolName: string) => (toolName === 'look_up' ? 'Find an order' : undefined)
    expect(draftIssues(good, takenBy).get('toolName')).toBe('Find an order has this tool name already.')
    expect(draftIssues({ ...good, followsName: true }, takenBy).has('toolName')).toBe(true)
  })
})

describe('issues from the service', () => {
  test('are keyed by the same fields, also for a header or an alias with a dot', () => {
    const draft = {
      ...good,
      headers: [{ id: 50, name: 'X.Dotted', value: 'x' }],
      responseMapping: [{ id: 51, alias: 'order.id', path: 'order.id' }],
    }
    const issues = serverIssues(draft, [
      { path: 'headers.X.Dotted', message: 'Any words.', code: 'invalid_key' },
      { path: 'headers.X.Dotted', message: 'Any words.' },
      { path: 'responseMapping.order.id', message: 'Any words.', code: 'invalid_key' },
      { path: 'responseMapping.order.id', message: 'Any words.' },
      { path: 'parameters.0.name', message: 'Odd.' },
      { path: 'toolName', message: 'Taken.' },
      { path: '', message: 'Everything.' },
    ])
    expect([...issues.keys()]).toEqual([
      'headers.50.name',
      'headers.50.value',
      'responseMapping.51.alias',
      'responseMapping.51.path',
      `parameters.${good.parameters[0]?.id}.name`,
      'toolName',
      '',
    ])
  })
})

test('the first issue is the first in the form, not the first found', () => {
  const issues = new Map([
    ['responseMapping.3.path', 'x'],
    [`parameters.${good.parameters[0]?.id}.name`, 'x'],
    ['description', 'x'],
  ])
  expect(firstIssue(good, issues)).toBe('description')
  expect(firstIssue(good, new Map())).toBeNull()
})
