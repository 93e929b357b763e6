import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { answerErrors } from '#shared/errors/answer.ts'
import { refusalErrors } from '#shared/errors/assistant.ts'
import { callErrors } from '#shared/errors/call.ts'
import { inboundErrorOf, inboundErrors } from '#shared/errors/inbound.ts'
import { runErrorCodes } from '#shared/errors/run.ts'
import { errorCatalogue, ServiceError, serviceErrors } from '#shared/errors.ts'

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')
// Errors of runs and of answers have no status, so their tables are checked by themselves.
const [text = '', withoutStatus = ''] = page.split('## Runs of workflows\n')
const [aboutRuns = '', aboutAnswers = ''] = withoutStatus.split('## Answers in conversations\n')

type Row = { code: string; status: number; when: string; whatToDo: string }

function rowsOf(part: string): Row[] {
  return [...part.matchAll(/^\| `([^`]*)` \| (\d{3}) \| (.*?) \| (.*?) \|$/gm)].map(
    ([, code = '', status, when = '', whatToDo = '']) => ({ code, status: Number(status), when, whatToDo }),
  )
}

/** The rows of the table under a heading. */
function rowsUnder(heading: string): Row[] {
  return rowsOf(text.split(/^## /m).find(part => part.startsWith(heading)) ?? '')
}

/** Codes with their status, in alphabetical order. */
const documented = (rows: Row[]) => rows.map(({ code, status }) => `${code} ${status}`).sort()
const catalogued = (errors: Record<string, { status: number }>) =>
  Object.entries(errors)
    .map(([code, { status }]) => `${code} ${status}`)
    .sort()

describe('docs/errors.md', () => {
  test('has each code of the catalogue once, with its status, and no other', () => {
    expect(documented(rowsOf(text))).toEqual(catalogued(errorCatalogue))
    expect([...text.matchAll(/^\| `/gm)]).toHaveLength(rowsOf(text).length)
  })

  test.each([
    { heading: 'Refused events', errors: inboundErrors },
    { heading: 'The service', errors: serviceErrors },
    { heading: 'Calls of actions', errors: callErrors },
    { heading: 'Refused tool calls', errors: refusalErrors },
  ])('has under “$heading” what belongs there', ({ heading, errors }) => {
    expect(documented(rowsUnder(heading))).toEqual(catalogued(errors))
  })

  test.each([
    { of: 'a run', about: aboutRuns, codes: ['http_<status>', ...runErrorCodes] },
    { of: 'an answer', about: aboutAnswers, codes: Object.keys(answerErrors) },
  ])('has each code of $of once, and no other', ({ about, codes }) => {
    const rows = [...about.matchAll(/^\| `(.*?)` \| (.*?) \| (.*?) \|$/gm)]
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
    expect(groups.flatMap(group => Object.keys(group)).sort()).toEqual(Object.keys(errorCatalogue).sort())
  })

  test('has one sentence for each, and an error status', () => {
    for (const [code, { status, message }] of Object.entries(errorCatalogue)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(600)
      expect(message).toMatch(/^[A-Z].*\.$/)
    }
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
