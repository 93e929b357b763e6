import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { answerErrors } from '#shared/errors/answer.ts'
import { refusalErrors } from '#shared/errors/assistant.ts'
import { callErrors } from '#shared/errors/call.ts'
import { inboundErrorOf, inboundErrors } from '#shared/errors/inbound.ts'
import { runErrorCodes } from '#shared/errors/run.ts'
import { errorCatalogue, ServiceError, serviceErrors } from '#shared/errors.ts'

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')
// The errors below this heading have no status.
const [text = ''] = page.split('## Calls of actions\n')

type Row = { code: string; status: number; when: string; whatToDo: string }

function rowsOf(part: string): Row[] {
  return [...part.matchAll(/^\| `([^`]*)` \| (\d{3}) \| (.*?) \| (.*?) \|$/gm)].map(
    ([, code = '', status, when = '', whatToDo = '']) => ({ code, status: Number(status), when, whatToDo }),
  )
}

/** The section under a heading. */
const sectionOf = (heading: string) => page.split(/^## /m).find(part => part.startsWith(heading)) ?? ''

/** Codes with their status, in alphabetical order. */
const documented = (rows: Row[]) => rows.map(({ code, status }) => `${code} ${status}`).sort()
const catalogued = (errors: Record<string, { status: number }>) =>
  Object.entries(errors)
    .map(([code, { status }]) => `${code} ${status}`)
    .sort()

describe('docs/errors.md', () => {
  test('has each code with a status once, and no other', () => {
    expect(documented(rowsOf(text))).toEqual(catalogued({ ...inboundErrors, ...serviceErrors }))
    expect([...text.matchAll(/^\| `/gm)]).toHaveLength(rowsOf(text).length)
  })

  test.each([
    { heading: 'Refused events', errors: inboundErrors },
    { heading: 'The service', errors: serviceErrors },
  ])('has under “$heading” what belongs there', ({ heading, errors }) => {
    expect(documented(rowsOf(sectionOf(heading)))).toEqual(catalogued(errors))
  })

  test.each([
    { heading: 'Calls of actions', codes: Object.keys(callErrors) },
    { heading: 'Refused tool calls', codes: Object.keys(refusalErrors) },
    { heading: 'Runs of workflows', codes: ['http_<status>', ...runErrorCodes] },
    { heading: 'Answers in conversations', codes: Object.keys(answerErrors) },
  ])('has under “$heading” each code once, and no other', ({ heading, codes }) => {
    const rows = [...sectionOf(heading).matchAll(/^\| `(.*?)` \| (.*?) \| (.*?) \|$/gm)]
    expect(rows.map(([, code]) => code).sort()).toEqual(codes.sort())
    for (const [, code, when, whatToDo] of rows) {
      expect(when, code).toMatch(/^.{10,}\.$/)
      expect(whatToDo, code).toMatch(/^.{5,}\.$/)
    }
  })

  test('says of each when it happens and what to do', () => {
    for (const row of rowsOf(text)) {
      expect(row.when, row.code).toMatch(/^.{10,}\.$/)
      expect(row.whatToDo, row.code).toMatch(/^.{5,}\.$/)
    }
  })
})

describe('the catalogue', () => {
  test('has no code in two groups, which would hide one', () => {
    const groups = [inboundErrors, serviceErrors, callErrors, refusalErrors]
    const codes = groups.flatMap(group => Object.keys(group))
    expect(codes).toHaveLength(new Set(codes).size)
    expect(codes).toEqual(expect.arrayContaining(Object.keys(errorCatalogue)))
  })

  test('has one sentence for each, and an error status', () => {
    for (const [code, { status, message }] of Object.entries(errorCatalogue)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(600)
      expect(message).toMatch(/^[A-Z].*\.$/)
    }
    for (const [code, message] of Object.entries({ ...callErrors, ...refusalErrors }))
      expect(message, code).toMatch(/^[A-Z].*\.$/)
  })

  test('says of each refusal of an event in a few words what it is, and in sentences what to do', () => {
    const refusals = Object.values(inboundErrors)
    for (const { title, remedy } of refusals) {
      expect(title).toMatch(/^[A-Z][^.]{5,45}$/)
      expect(remedy).toMatch(/^[A-Z].{10,}\.$/)
    }
    expect(new Set(refusals.map(({ title }) => title)).size).toBe(refusals.length)
    expect(inboundErrorOf('invalid_data')).toBe(inboundErrors.invalid_data)
    expect(inboundErrorOf('constructor')).toBeUndefined()
  })

  test('gives an error its sentence and status, unless more can be said', () => {
    const plain = new ServiceError('event_not_found')
    expect(plain).toMatchObject({
      status: 404,
      message: serviceErrors.event_not_found.message,
      data: undefined,
    })
    const detailed = new ServiceError('port_in_use', { detail: 'Port 80 is taken.' })
    expect(detailed).toMatchObject({ code: 'port_in_use', status: 409, message: 'Port 80 is taken.' })
  })
})
