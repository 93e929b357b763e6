import { describe, expect, test } from 'vitest'
import {
  draftFields,
  draftOf,
  errorsByField,
  judgeDraft,
} from '#renderer/features/connections/connection-draft.ts'

const saved = {
  name: 'Acme',
  baseUrl: 'https://api.example.com/v2',
  timeoutMs: 30_000,
  retention: { maxEvents: 10_000, maxDays: 30 },
}
const draft = draftOf(saved)

describe('the form of a connection', () => {
  test('shows what is saved, the timeout in seconds', () => {
    expect(draft).toEqual({
      name: 'Acme',
      baseUrl: 'https://api.example.com/v2',
      timeoutSeconds: 30,
      maxEvents: 10_000,
      maxDays: 30,
    })
    expect(draftOf({ ...saved, baseUrl: null }).baseUrl).toBe('')
  })

  test('saves the fields that were changed, and no others', () => {
    const changed = { ...draft, name: ' Acme 2 ', maxDays: 7, timeoutSeconds: 1.5 }
    expect(judgeDraft(changed, ['name', 'timeoutSeconds', 'maxDays'])).toEqual({
      ok: true,
      change: { name: 'Acme 2', timeoutMs: 1500, retention: { maxDays: 7 } },
    })
    expect(judgeDraft({ ...draft, maxEvents: 5, maxDays: 6 }, ['maxEvents', 'maxDays'])).toEqual({
      ok: true,
      change: { retention: { maxEvents: 5, maxDays: 6 } },
    })
  })

  test('takes an empty base URL for none, and drops its trailing slash', () => {
    expect(judgeDraft({ ...draft, baseUrl: '  ' }, ['baseUrl'])).toEqual({
      ok: true,
      change: { baseUrl: null },
    })
    expect(judgeDraft({ ...draft, baseUrl: 'https://a.example/' }, ['baseUrl'])).toEqual({
      ok: true,
      change: { baseUrl: 'https://a.example' },
    })
  })

  test.each([
    ['timeoutSeconds', [1, 120, '1.5'], [0.999, 120.001, '', 'x']],
    ['maxEvents', [1, 10_000_000, '500'], [0, 10_000_001, 1.5, '']],
    ['maxDays', [1, 3650], [0, 3651, '']],
    ['name', ['A', 'x'.repeat(120)], ['', '   ', 'x'.repeat(121)]],
    ['baseUrl', ['', 'http://10.0.0.1:9000'], ['api.example.com', 'https://a.example/?x=1']],
  ] as const)('bounds %s as the service does', (field, good, bad) => {
    for (const value of good) expect(judgeDraft({ ...draft, [field]: value }, [field]).ok).toBe(true)
    for (const value of bad)
      expect(judgeDraft({ ...draft, [field]: value }, [field])).toEqual({
        ok: false,
        errors: { [field]: expect.stringMatching(/\.$/) },
      })
  })

  test('shows the service’s own issues at the fields they are about', () => {
    const issues = [
      { path: 'timeoutMs', message: 'Too long.' },
      { path: 'retention.maxDays', message: 'Too many.' },
      { path: 'something', message: 'Else.' },
    ]
    expect(errorsByField(issues)).toEqual({ timeoutSeconds: 'Too long.', maxDays: 'Too many.' })
  })

  test('tells its changes in the order of the form', () => {
    expect(draftFields(['maxDays', 'name', 'unknown'])).toEqual(['name', 'maxDays'])
  })
})
