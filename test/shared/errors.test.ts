import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { errorCatalogue, inboundErrors, ServiceError, serviceErrors } from '#shared/errors.ts'

const text = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')

type Row = { code: string; status: number; when: string; whatToDo: string }

/** The rows of the table under a heading. */
function rowsUnder(heading: string): Row[] {
  const section = text.split(/^## /m).find(part => part.startsWith(heading)) ?? ''
  return [...section.matchAll(/^\| `(\w+)` \| (\d{3}) \| (.*?) \| (.*?) \|$/gm)].map(
    ([, code = '', status, when = '', whatToDo = '']) => ({ code, status: Number(status), when, whatToDo }),
  )
}

describe('docs/errors.md', () => {
  test.each([
    { heading: 'Refused events', catalogue: inboundErrors },
    { heading: 'The service', catalogue: serviceErrors },
  ])(
    'under “$heading” has each code of the catalogue once, in its order, with its status',
    ({ heading, catalogue }) => {
      const documented = rowsUnder(heading).map(({ code, status }) => [code, status])
      expect(documented).toEqual(Object.entries(catalogue).map(([code, { status }]) => [code, status]))
    },
  )

  test('says of each when it happens and what to do', () => {
    for (const row of [...rowsUnder('Refused events'), ...rowsUnder('The service')]) {
      expect(row.when, row.code).toMatch(/^.{15,}\.$/)
      expect(row.whatToDo, row.code).toMatch(/^.{10,}\.$/)
    }
  })

  test('names no code that there is not', () => {
    const named = [...text.matchAll(/^\| `([^`]*)`/gm)].map(match => match[1])
    expect(named.filter(code => !Object.hasOwn(errorCatalogue, code ?? ''))).toEqual([])
  })
})

describe('the catalogue', () => {
  test('has no code in both halves, which would hide one', () => {
    const codes = [...Object.keys(inboundErrors), ...Object.keys(serviceErrors)]
    expect(Object.keys(errorCatalogue)).toHaveLength(codes.length)
  })

  test('has one sentence for each, and an error status', () => {
    for (const [code, { status, message }] of Object.entries(errorCatalogue)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(600)
      expect(message).toMatch(/^[A-Z].*\.$/)
    }
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
