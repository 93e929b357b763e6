import { expect, test } from 'vitest'
import { queryStems, stem, stemsIn, verbsLike } from '#main/assistant/search/words.ts'

test.each([
  ['issue', 'issues'],
  ['close', 'closes', 'closed', 'closing'],
  ['stop', 'stops', 'stopped', 'stopping'],
  ['reply', 'replies', 'replied'],
  ['repository', 'repositories'],
  ['branch', 'branches'],
  ['protect', 'protects', 'protected', 'protecting', 'protection'],
  ['create', 'creates', 'created', 'creating', 'creation'],
  ['fix', 'fixes', 'fixed'],
])('%s has one stem in all its forms', (...forms) => {
  expect(new Set(forms.map(stem)).size).toBe(1)
})

test.each(['status', 'string', 'access', 'analysis', 'action', 'bed', 'v2s'])(
  '%s keeps its letters',
  word => {
    expect(word.startsWith(stem(word).slice(0, -1))).toBe(true)
    expect(stem(word).length).toBeGreaterThanOrEqual(word.length - 1)
  },
)

test('words end at camelCase, snake_case and the parts of a path', () => {
  expect(stemsIn('listRepoBranches')).toEqual(['list', 'repo', 'branch'])
  expect(stemsIn('list_repo_branches')).toEqual(['list', 'repo', 'branch'])
  expect(stemsIn('/repos/{owner}/branches')).toEqual(['repo', 'owner', 'branch'])
  expect(stemsIn('getHTTPStatus')).toEqual(['get', 'http', 'status'])
  expect(stemsIn('Büro größe')).toEqual(['buro', 'große'].map(stem))
})

test('the address of a link is not searched, its text is', () => {
  expect(
    stemsIn('See [the labels](https://docs.example.com/rest/issues). https://example.com/pulls'),
  ).toEqual(['see', 'label'])
})

test('a query of fillers alone is searched for these', () => {
  expect(queryStems('what is the total')).toEqual(['total'])
  expect(queryStems('what is it')).toEqual(['what', 'is', 'it'])
  expect(queryStems(' … ')).toEqual([])
  expect(queryStems(Array.from({ length: 40 }, (_, index) => `word${index}`).join(' '))).toHaveLength(16)
})

test('a verb also stands for those of the same operation', () => {
  expect([...verbsLike(stem('creating'))]).toContain('add')
  expect([...verbsLike('issue')]).toEqual([])
})
