import { describe, expect, test } from 'vitest'
import { changeOf, draftOf, draftProblems } from '#renderer/features/connections/connection-draft.ts'

const saved = {
  name: 'Acme',
  baseUrl: 'https://api.example.com/v2',
  timeoutMs: 30_000,
  retention: { maxEvents: 10_000, maxDays: 30 },
}
const draft = draftOf(saved)

describe('the form of a connection', () => {
  test('shows the saved values, the timeout in seconds', () => {
    expect(draft).toEqual({
      name: 'Acme',
      baseUrl: 'https://api.example.com/v2',
      timeoutMs: 30,
      'retention.maxEvents': 10_000,
      'retention.maxDays': 30,
    })
    expect(draftOf({ ...saved, baseUrl: null }).baseUrl).toBe('')
  })

  test('saves only the changed fields', () => {
    const changed = { ...draft, name: ' Acme 2 ', 'retention.maxDays': 7, timeoutMs: 1.5 }
    expect(changeOf(changed, ['name', 'timeoutMs', 'retention.maxDays'])).toEqual({
      name: 'Acme 2',
      timeoutMs: 1500,
      retention: { maxDays: 7 },
    })
    const both = { ...draft, 'retention.maxEvents': 5, 'retention.maxDays': 6 }
    expect(changeOf(both, ['retention.maxEvents', 'retention.maxDays'])).toEqual({
      retention: { maxEvents: 5, maxDays: 6 },
    })
  })

  test('saves an empty base URL as null, and removes a trailing slash', () => {
    expect(changeOf({ ...draft, baseUrl: '  ' }, ['baseUrl'])).toEqual({ baseUrl: null })
    expect(changeOf({ ...draft, baseUrl: 'https://a.example/' }, ['baseUrl'])).toEqual({
      baseUrl: 'https://a.example',
    })
  })

  test.each([
    ['timeoutMs', [1, 120, '1.5'], [0.999, 120.001, '', 'x']],
    ['retention.maxEvents', [1, 10_000_000, '500'], [0, 10_000_001, 1.5, '']],
    ['retention.maxDays', [1, 3650], [0, 3651, '']],
    ['name', ['A', 'x'.repeat(120)], ['', '   ', 'x'.repeat(121)]],
    ['baseUrl', ['', 'http://10.0.0.1:9000'], ['api.example.com', 'https://a.example/?x=1']],
  ] as const)('bounds %s like the service', (field, good, bad) => {
    for (const value of good) expect(draftProblems({ ...draft, [field]: value }, [field])).toEqual({})
    for (const value of bad)
      expect(draftProblems({ ...draft, [field]: value }, [field])).toEqual({
        [field]: expect.stringMatching(/\.$/),
      })
  })
})
