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

const terminal = { isTerminal: true, isOpening: false }
const pipe = { isTerminal: false, isOpening: false }

describe('what serve tells people', () => {
  it('holds the token only where a person reads along, and in the fragment of an address', () => {
    const { results, hints } = servingLines(serving, terminal)
    expect(hints).toEqual(['Admin token: kept in /data/admin-token'])
    expect(results.slice(0, 2)).toEqual([
      'Inbound listener: http://127.0.0.1:8787',
      'Dashboard: http://127.0.0.1:8788',
    ])
    const url = new URL(results[2]?.replace('Sign in: ', '') ?? '')
    expect([url.pathname, url.search]).toEqual(['/', ''])
    expect(new URLSearchParams(url.hash.slice(1)).get('token')).toBe(token)
  })

  it('says where the token is, and holds none, where its output goes to a file or a pipe', () => {
    const { results, hints } = servingLines(serving, pipe)
    expect([...results, ...hints].join()).not.toContain('canary')
    expect(hints).toEqual([
      'To sign in, open http://127.0.0.1:8788 and enter the admin token. It is in /data/admin-token.',
    ])
  })

  it('says how to build a dashboard that is missing', () => {
    const { hints } = servingLines({ ...serving, hasPage: false }, terminal)
    expect(hints.at(-1)).toContain('npm run build')
  })

  it.each([terminal, pipe])('contains no token that the caller set, and says which one to enter', where => {
    const { results, hints } = servingLines({ ...serving, adminTokenFile: null }, where)
    expect([...results, ...hints].join()).not.toContain('canary')
    expect(hints).toEqual([
      'To sign in, open http://127.0.0.1:8788 and enter the admin token that the service was started with.',
    ])
  })

  it.each([
    [true, 'The dashboard opens in your browser instead.'],
    [false, 'Open the dashboard in a browser instead.'],
  ])('says first why the app cannot open, and what happens instead (browser: %s)', (isOpening, instead) => {
    const { results } = servingLines(serving, { ...terminal, isOpening, appProblem: 'there is no display' })
    expect(results[0]).toBe(`The desktop app cannot open (there is no display). ${instead}`)
  })
})
