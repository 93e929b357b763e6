import { expect, test } from 'vitest'
import type { ImportIssue, ImportPreview } from '#shared/model/import-preview.ts'
import {
  countIssues,
  countsInWords,
  errorsFirst,
  headline,
  issueAt,
  otherWarnings,
} from '../../../src-renderer/features/imports/issues.ts'

const issue = (line: number, column: number, fields: Partial<ImportIssue> = {}): ImportIssue => ({
  path: '',
  message: 'Something.',
  line,
  column,
  severity: 'error',
  ...fields,
})
const warning = (line: number, message = 'Something.') => issue(line, 1, { severity: 'warning', message })

test('issues are counted by kind, including those that are not listed', () => {
  const counts = countIssues([
    issue(1, 1),
    issue(2, 1),
    warning(3),
    issue(1, 1, { count: 1_999_002 }),
    issue(1, 1, { severity: 'warning', count: 4 }),
  ])
  expect(counts).toEqual({ errors: 1_999_004, warnings: 5 })
})

test.each([
  [0, 0, ''],
  [1, 0, '1 error'],
  [0, 2, '2 warnings'],
  [2, 1, '2 errors, 1 warning'],
])('%d and %d in words: %s', (errors, warnings, words) => {
  expect(countsInWords({ errors, warnings })).toBe(words)
})

test('errors come before warnings, and keep their order', () => {
  const [a, b, c, d] = [warning(1), issue(2, 1), warning(3), issue(4, 1)]
  expect(errorsFirst([a, b, c, d])).toEqual([b, d, a, c])
})

test.each([
  ['A path takes no placeholder. Send the value as a parameter.', 'A path takes no placeholder'],
  ['Use `a.b` or `c`. Then more.', 'Use a.b or c'],
  ['Is it version 1.2 of it? No.', 'Is it version 1.2 of it?'],
  ['without a stop', 'without a stop'],
])('the headline of %j is %j', (message, words) => {
  expect(headline(message)).toBe(words)
})

test('the issue at the cursor is the last one before it on its line, or the first one there', () => {
  const issues = [issue(3, 20), issue(3, 5), issue(7, 1)]
  expect(issueAt(issues, { line: 3, column: 25 })).toEqual(issue(3, 20))
  expect(issueAt(issues, { line: 3, column: 10 })).toEqual(issue(3, 5))
  expect(issueAt(issues, { line: 3, column: 1 })).toEqual(issue(3, 5))
  expect(issueAt(issues, { line: 4, column: 1 })).toBeNull()
})

test('a warning shown beside an action is not repeated', () => {
  const preview: ImportPreview = {
    valid: true,
    recognized: null,
    placeholders: [],
    leftOut: [],
    leftOutTotal: 0,
    auth: [],
    servers: [],
    issues: [
      issue(2, 1, { severity: 'warning', message: 'Any words.', code: 'left_out' }),
      warning(2, 'The key "x" is left out.'),
      issue(3, 1),
    ],
    unsupported: [
      { name: 'GET /a: tags', part: 'tags', reason: 'have no place here', toolName: 'a', line: 2, column: 1 },
    ],
    connection: null,
    actions: { create: [], skip: [] },
    eventTypes: { create: [], skip: [] },
    environmentVariables: [],
    details: { documentBaseUrl: null, actions: [], eventTypes: [], environmentVariables: [] },
  }
  expect(otherWarnings(preview, preview.issues).map(({ message }) => message)).toEqual([
    'The key "x" is left out.',
  ])
})
