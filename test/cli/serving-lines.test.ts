import { describe, expect, it } from 'vitest'
import { servingLines } from '#main/cli/serve.ts'
import { signInUrl } from '#main/http/open-dashboard.ts'

const token = 'canary/+&#token'
const serving = {
  listenerUrl: 'http://127.0.0.1:8787',
  dashboardUrl: 'http://127.0.0.1:8788',
  signInUrl: signInUrl('http://127.0.0.1:8788', token),
  adminTokenFile: '/data/admin-token',
  hasPage: true,
}

describe('what serve tells people', () => {
  it('holds the token only where a person reads along, and in the fragment of an address', () => {
    const { results, hints } = servingLines(serving, true)
    expect(hints).toEqual(['Admin token: kept in /data/admin-token'])
    expect(results.slice(0, 2)).toEqual([
      'Inbound listener: http://127.0.0.1:8787',
      'Dashboard: http://127.0.0.1:8788',
    ])
    const url = new URL(results[2]?.replace('Sign in: ', '') ?? '')
    expect([url.pathname, url.search]).toEqual(['/', ''])
    expect(new URLSearchParams(url.hash.slice(1)).get('token')).toBe(token)
  })

  it('holds no token where its output goes to a file or a pipe', () => {
    const { results, hints } = servingLines(serving, false)
    expect([...results, ...hints].join()).not.toContain('canary')
    expect(hints).toEqual(['Admin token: kept in /data/admin-token'])
  })

  it('says how to build a dashboard that is missing', () => {
    const { hints } = servingLines({ ...serving, hasPage: false }, true)
    expect(hints.at(-1)).toContain('npm run build')
  })

  it('contains no token that the caller set', () => {
    const { results, hints } = servingLines({ ...serving, adminTokenFile: null }, true)
    expect([...results, ...hints].join()).not.toContain('canary')
    expect(hints).toEqual([])
  })
})
