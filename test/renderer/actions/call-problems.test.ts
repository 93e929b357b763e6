import { expect, test } from 'vitest'
import { missingVariables } from '#renderer/entities/environment/missing-variables.ts'
import { argumentProblems, callProblem } from '#renderer/features/actions/test/call-problems.ts'
import { callErrors } from '#shared/errors/call.ts'

test('every error code of a call has its own title and at least one remedy', () => {
  const known = Object.keys(callErrors).map(code => callProblem({ code }))
  expect(new Set(known.map(({ title }) => title)).size).toBe(known.length)
  for (const { ways } of known) expect(ways.length).toBeGreaterThan(0)
  expect(callProblem({ code: 'something_new' })).toMatchObject({ title: 'The call failed', ways: ['again'] })
})

test('missing variables and invalid arguments are read from the data of the error, whatever that is', () => {
  expect(missingVariables({ data: { environmentVariables: ['A', 'B'] } })).toEqual(['A', 'B'])
  expect(missingVariables({ data: 7 })).toEqual([])
  const parameters = [{ name: 'amount' }, { name: 'filters' }, { name: 'filters.a' }]
  const issues = [
    { path: 'amount', message: 'No.' },
    { path: 'filters.0.op', message: 'First.' },
    { path: 'filters.1.op', message: 'Second.' },
    { path: 'filters.a', message: 'Own.' },
  ]
  expect(argumentProblems({ data: { issues } }, parameters)).toEqual(
    new Map([
      ['amount', 'No.'],
      ['filters', 'First.'],
      ['filters.a', 'Own.'],
    ]),
  )
  expect(argumentProblems({}, parameters).size).toBe(0)
})
