import { ORPCError } from '@orpc/client'
import { expect, test } from 'vitest'
import { problemOf } from '#renderer/ui/problem.ts'

const issues = [{ path: 'name', message: 'Give it a name.' }]

test.each([
  ['the issues of fields', { issues }, { issues }],
  ['the record as it is now', { issues: [], current: { a: 1 } }, { issues: [], current: { a: 1 } }],
  ['nothing else', undefined, { issues: [] }],
])('an error of the service tells %s', (_case, data, expected) => {
  const problem = problemOf(new ORPCError('changed_meanwhile', { data, message: 'It was changed.' }))
  expect(problem).toEqual({ code: 'changed_meanwhile', message: 'It was changed.', ...expected })
})

test('an answer of a proxy that reaches no service says that the service does not answer', () => {
  for (const [code, status] of [
    ['BAD_GATEWAY', 502],
    ['503', 503],
  ] as const)
    expect(problemOf(new ORPCError(code, { status })).code).toBe('service_unreachable')
  const own = new ORPCError('storage_unavailable', { status: 503, message: 'No server.' })
  expect(problemOf(own)).toMatchObject({ code: 'storage_unavailable', message: 'No server.' })
})
