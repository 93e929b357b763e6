import { expect, test } from 'vitest'
import { createEnvironment } from '#main/connections/environment.ts'
import { definitionOf, storedTextOf } from '#main/connections/made-variables.ts'
import { fillHeaders } from '#main/outbound/header-values.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { EnvironmentValue } from '#shared/model/environment.ts'
import { nowMs } from './fixtures.ts'

const oauth2 = {
  tokenUrl: 'https://auth.example.com/token',
  clientId: 'shop',
  secretVariable: 'SECRET',
  scope: 'read',
  clientAuth: 'body' as const,
}
const basic = { user: 'maya', passwordVariable: 'PASSWORD' }

test('what a variable is set to survives as the text that is stored for it', () => {
  expect(definitionOf(storedTextOf({ oauth2 }))).toEqual({ kind: 'oauth2', oauth2 })
  expect(definitionOf(storedTextOf({ basic }))).toEqual({ kind: 'basic', basic })
  for (const value of ['plain', 'made:{}', '{"kind":"basic"}'])
    expect(definitionOf(storedTextOf({ value }))).toEqual({ kind: 'value', value })
})

test('no value is taken for a made variable, and an earlier version cannot send one', () => {
  const stored = storedTextOf({ oauth2 })
  expect(EnvironmentValue.safeParse(stored).success).toBe(false)
  // As versions did that know only values.
  expect(fillHeaders({ 'X-Key': '{{A}}' }, new Map([['A', stored]]))).toMatchObject({
    error: { code: 'invalid_header_value' },
  })
})

test('a variable of a kind that only a later version makes has no value', () => {
  for (const text of ['{"kind":"later"}', '{', '{"kind":"oauth2"}']) {
    const stored = storedTextOf({ basic }).replace(/\{.*$/, text)
    expect(definitionOf(stored)).toBeNull()
    const config = { ...newConfig(nowMs), environment: new Map([['A', stored]]) }
    const environment = createEnvironment({ snapshot: () => config, onChange: () => () => {} }, {})
    expect(environment.resolve('A')).toBeUndefined()
    expect(environment.fetchMissing(['A'])).toBeNull()
    expect(environment.list()).toMatchObject([{ name: 'A', kind: 'value' }])
  }
})
