import { describe, expect, test } from 'vitest'
import { previewImport } from '#main/importing/imports.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { nowMs } from '../connections/fixtures.ts'
import { newConnection, read } from './fixtures.ts'

/** Returns what a curl command with a header is imported as, and the variables that its action needs. */
function imported(header: string) {
  const parsed = read(`curl https://api.example.com/a -H '${header}'`, 'curl')
  const { environmentVariables } = previewImport(newConfig(nowMs), parsed, newConnection)
  return {
    stored: JSON.stringify({ ...parsed, text: '' }),
    variables: environmentVariables.map(({ name }) => name),
  }
}

describe('a credential in a header of a curl command is not stored', () => {
  test.each([
    ['Authorization', 'Basic dXNlcjpwdw=='],
    ['X-API-Key', 'abcdef'],
    ['Ocp-Apim-Subscription-Key', 'abcdef'],
    ['x-functions-key', 'abcdef'],
    ['X-Master-Key', 'abcdef'],
    ['AccessKey', 'abcdef'],
    ['X-Session', 'abcdef'],
    ['X-JWT-Assertion', 'abcdef'],
    ['X-Passphrase', 'abcdef'],
    ['X-Shopify-Access-Token', 'abcdef'],
    ['X-Other', 'sk_live_abcdefghij'],
    ['X-Other', 'ghp_abcdefghij'],
    ['X-Other', 'xoxb-abcdefghij'],
    ['X-Other', 'glpat-abcdefghij'],
    ['X-Other', 'shpat_abcdefghij'],
    ['X-Other', 'AKIAABCDEFGHIJKLMNOP'],
    ['X-Other', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghij'],
  ])('%s: %s', (name, value) => {
    const { stored, variables } = imported(`${name}: ${value}`)
    expect(variables).toHaveLength(1)
    expect(stored).not.toContain(value.replace(/^Basic /, ''))
  })

  test.each([
    ['Idempotency-Key', 'order-1'],
    ['x-ms-documentdb-partitionkey', '["a"]'],
    ['X-Routing-Key', 'orders'],
    ['X-Tenant', 'shop'],
    ['X-Monkey', 'no'],
    ['Stripe-Version', '2025-01-27.acacia'],
  ])('but %s: %s is', (name, value) => {
    const { stored, variables } = imported(`${name}: ${value}`)
    expect(variables).toEqual([])
    expect(stored).toContain(JSON.stringify(value).slice(1, -1))
  })
})
