import { expect, test } from 'vitest'
import { createToolSearch } from '#main/assistant/search/tool-search.ts'
import type { ActionRecord } from '#main/storage/config.ts'
import { exampleAction, exampleConnection } from '../../storage/config-fixtures.ts'

type Texts = { readonly description?: string; readonly parameters?: Readonly<Record<string, string>> }

function action(toolName: string, name: string, { description = name, parameters = {} }: Texts = {}) {
  return exampleAction(toolName, {
    ...{ toolName, name, description },
    parameters: Object.entries(parameters).map(([parameter, text]) => ({
      ...{ name: parameter, type: 'string', description: text, required: false },
    })),
  })
}

/** Operations as the documents of real APIs describe them. */
const actions = [
  action('issues_create', 'Create an issue', { parameters: { title: 'The title of the issue.' } }),
  action('issues_update', 'Update an issue', {
    description: 'Issue owners can edit an issue.',
    parameters: { state: 'The open or closed state of the issue.' },
  }),
  action('issues_list_comments', 'List issue comments'),
  action('issues_create_comment', 'Create an issue comment'),
  action('reactions_create_for_issue', 'Create reaction for an issue'),
  action('repos_list_branches', 'List branches', { parameters: { repo: 'The name of the repository.' } }),
  action('activity_list_stargazers', 'List stargazers', {
    description: 'Lists the people that have starred the repository.',
  }),
  action('pulls_merge', 'Merge a pull request'),
  action('pulls_request_reviewers', 'Request reviewers for a pull request'),
]
const connection = exampleConnection('conn_1', { name: 'GitHub', actions })

/** Returns the tool names that a query finds, the best first. */
async function find(query: string, isWanted = (_: ActionRecord) => true, limit = 3) {
  const { found, total } = await createToolSearch().find([{ connection, isWanted }], query, limit)
  return { names: found.map(one => one.action.toolName), scores: found.map(({ score }) => score), total }
}

test.each([
  ['close an issue', 'issues_update'],
  ['closing issues', 'issues_update'],
  ['open a new issue', 'issues_create'],
  ['comment on an issue', 'issues_create_comment'],
  ['listComments', 'issues_list_comments'],
  ['list the branches of a repository', 'repos_list_branches'],
  ['who starred this repo', 'activity_list_stargazers'],
  ['merge pull requests', 'pulls_merge'],
  ['request a review', 'pulls_request_reviewers'],
  ['pulls_merge', 'pulls_merge'],
])('“%s” finds %s among the first three', async (query, expected) => {
  expect((await find(query)).names).toContain(expected)
})

test('scores are between 0 and 1, the best first, and 0 for nothing', async () => {
  const { scores, total } = await find('create an issue', () => true, 20)
  expect(scores).toEqual(scores.toSorted((one, other) => other - one))
  expect(scores[0]).toBeGreaterThan(0.7)
  for (const score of scores) {
    expect(score).toBeGreaterThan(0)
    expect(score).toBeLessThanOrEqual(1)
  }
  expect(total).toBe(scores.length)
  for (const query of ['weather', '', '!?'])
    expect(await find(query)).toEqual({ names: [], scores: [], total: 0 })
})

test('a title that the query names whole is before those that say more', async () => {
  expect((await find('create an issue')).names[0]).toBe('issues_create')
  expect((await find('merge a pull request')).names[0]).toBe('pulls_merge')
})

test('a tool that is not wanted is not found, and the others keep their order', async () => {
  const withoutComments = actions.filter(({ toolName }) => !toolName.includes('comment'))
  const narrowed = exampleConnection('conn_1', { name: 'GitHub', actions: withoutComments })
  const search = createToolSearch()
  const all = await search.find(
    [{ connection, isWanted: ({ toolName }) => !toolName.includes('comment') }],
    'create an issue comment',
    20,
  )
  const few = await search.find(
    [{ connection: narrowed, isWanted: () => true }],
    'create an issue comment',
    20,
  )
  expect(all.found.map(({ action: { toolName } }) => toolName)).toEqual(
    few.found.map(({ action: { toolName } }) => toolName),
  )
})

test('the name of a connection tells its tools from those of another', async () => {
  const jira = exampleConnection('conn_2', {
    name: 'Jira',
    actions: [action('jira_create_issue', 'Create an issue')],
  })
  const isWanted = () => true
  const { found } = await createToolSearch().find(
    [
      { connection, isWanted },
      { connection: jira, isWanted },
    ],
    'create an issue in Jira',
    1,
  )
  expect(found[0]?.action.toolName).toBe('jira_create_issue')
})

test('a change of an action is found by the next search', async () => {
  const search = createToolSearch()
  const isWanted = () => true
  const find = async (changed: typeof connection) =>
    (await search.find([{ connection: changed, isWanted }], 'weather', 5)).total
  expect(await find(connection)).toBe(0)
  const changed = { ...connection, actions: [...actions, action('weather', 'Look at the weather')] }
  expect(await find(changed)).toBe(1)
  expect(await find(connection)).toBe(0)
})
