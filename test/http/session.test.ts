import { randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createSessions } from '#main/http/sessions.ts'
import { openTlsFiles } from '#main/lib/tls-files.ts'
import { signIn } from '../support/rpc-client.ts'
import { adminToken, sharedService, startService } from '../support/service-fixture.ts'
import { bearer, codeOf, type HttpCall, http } from './http.ts'

const cleanService = sharedService()

const csrf = { 'x-csrf-token': 'orpc' }
const post: HttpCall = { method: 'POST', path: '/session', headers: bearer }
const listConnections: HttpCall = { method: 'POST', path: '/rpc/connections/list', body: '{"json":{}}' }

/** Whether a session, as the page has it, lets into the dashboard's own interface. */
async function opens(dashboardUrl: string, session: Readonly<Record<string, string>>): Promise<boolean> {
  const headers = { ...csrf, ...session, 'content-type': 'application/json' }
  const { status } = await http(dashboardUrl, { ...listConnections, headers })
  expect([200, 401]).toContain(status)
  return status === 200
}

describe('signing in', () => {
  test('trades the admin token for a cookie that no script reads and no other site sends', async () => {
    const { dashboardUrl } = await cleanService()
    const answer = await http(dashboardUrl, post)
    expect(answer.status).toBe(200)
    const { key, ...body } = z
      .object({ authorized: z.boolean(), key: z.string(), data: z.string() })
      .parse(JSON.parse(answer.text))
    expect(body).toEqual({ authorized: true, data: expect.stringMatching(/^[\w-]{22}$/) })
    expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/)
    const [cookie, ...others] = [answer.headers['set-cookie'] ?? []].flat()
    expect(others).toEqual([])
    const [pair = '', ...attributes] = (cookie ?? '').split('; ')
    expect(pair).toMatch(new RegExp(`^cc_session_${new URL(dashboardUrl).port}=[A-Za-z0-9_-]{43}$`))
    expect(pair).not.toContain(key)
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Strict'])
    expect(answer.text).not.toContain(adminToken)
    expect(await opens(dashboardUrl, { cookie: pair, 'x-session-key': key })).toBe(true)
  })

  test.each([
    {},
    { authorization: 'Bearer wrong' },
    { authorization: `Basic ${adminToken}` },
    { cookie: `cc_session=${adminToken}` },
    { 'x-admin-token': adminToken },
  ])('takes nothing else (%o)', async headers => {
    const { dashboardUrl } = await cleanService()
    for (const path of ['/session', `/session?token=${adminToken}`]) {
      const answer = await http(dashboardUrl, { method: 'POST', path, headers })
      expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthorized'])
      expect(answer.headers).not.toHaveProperty('set-cookie')
    }
  })

  test('gives a session of its own, never one that the browser brings along', async () => {
    const { dashboardUrl } = await cleanService()
    const half = 'A'.repeat(43)
    const planted = { cookie: `cc_session_${new URL(dashboardUrl).port}=${half}`, 'x-session-key': half }
    for (const session of [planted, await signIn(dashboardUrl)]) {
      const answer = await http(dashboardUrl, { ...post, headers: { ...bearer, ...session } })
      const [given] = String(answer.headers['set-cookie']).split(';')
      expect(given).toMatch(/^cc_session_\d+=[A-Za-z0-9_-]{43}$/)
      expect(given).not.toBe(session.cookie)
    }
    expect(await opens(dashboardUrl, planted)).toBe(false)
  })

  test('is not possible with a form of another site, nor with a session', async () => {
    const { dashboardUrl } = await cleanService()
    const session = await signIn(dashboardUrl)
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'])
      for (const sender of [{}, session]) {
        const answer = await http(dashboardUrl, {
          method: 'POST',
          path: '/session',
          body: `token=${adminToken}&authorization=Bearer ${adminToken}`,
          headers: { ...sender, 'content-type': type },
        })
        expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthorized'])
        expect(answer.headers).not.toHaveProperty('set-cookie')
      }
  })

  test('is not possible from a page of another origin', async () => {
    const { dashboardUrl } = await cleanService()
    const answer = await http(dashboardUrl, {
      ...post,
      headers: { ...bearer, origin: 'https://evil.example' },
    })
    expect([answer.status, codeOf(answer)]).toEqual([403, 'forbidden_origin'])
    expect(answer.headers).not.toHaveProperty('set-cookie')
  })

  test('gives a cookie for TLS alone where the page came over TLS', async () => {
    const files = (name: string) => join(import.meta.dirname, '..', 'cli', 'fixtures', `first.${name}.pem`)
    const tls = openTlsFiles(files('cert'), files('key'), () => {})
    onTestFinished(() => tls.close())
    const { dashboardUrl } = await startService({ dashboard: { tls } })
    expect(dashboardUrl).toMatch(/^https:/)
    const direct = await new Promise<string[]>((resolve, reject) => {
      const options = { method: 'POST', headers: bearer, rejectUnauthorized: false, agent: false } as const
      httpsRequest(`${dashboardUrl}/session`, options, response => {
        response.resume()
        resolve(response.headers['set-cookie'] ?? [])
      })
        .on('error', reject)
        .end()
    })
    expect(direct.join()).toMatch(/; Secure(;|$)/)

    const behindProxy = await cleanService()
    const host = 'localhost'
    const headers = { ...bearer, origin: `https://${host}` }
    const answer = await http(behindProxy.dashboardUrl, { ...post, host, headers })
    expect(String(answer.headers['set-cookie'])).toMatch(/; Secure(;|$)/)
  })
})

describe('a session', () => {
  test('is of use on the dashboard, not on REST', async () => {
    const { dashboardUrl } = await cleanService()
    const session = await signIn(dashboardUrl)
    expect(await opens(dashboardUrl, session)).toBe(true)
    for (const path of ['/api/v1/connections', '/api/v1/openapi.json', '/api/v1/nope']) {
      const answer = await http(dashboardUrl, { path, headers: { ...csrf, ...session } })
      expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthorized'])
    }
  })

  test('is asked about without telling more than that', async () => {
    const { dashboardUrl } = await cleanService()
    const ask = async (headers: Record<string, string>) => {
      const { status, text } = await http(dashboardUrl, { path: '/session', headers })
      expect(status).toBe(200)
      return text
    }
    const signedIn = /^\{"authorized":true,"data":"[\w-]{22}"\}$/
    const session = await signIn(dashboardUrl)
    expect(await ask(session)).toMatch(signedIn)
    const { cookie, 'x-session-key': key } = session
    expect(await ask({ ...session, cookie: `other=1; ${cookie}; more=2` })).toMatch(signedIn)
    expect(await ask(bearer)).toMatch(signedIn)
    const [name] = cookie.split('=')
    for (const cookies of ['', 'other=x', cookie.toUpperCase(), '%zz=;;'])
      expect(await ask({ 'x-session-key': key, cookie: cookies }), cookies).toBe(
        '{"authorized":false,"ended":false}',
      )
    for (const cookies of [`${name}=`, `${name}=x`, `${cookie}x`, `${name}=${key}`])
      expect(await ask({ 'x-session-key': key, cookie: cookies }), cookies).toBe(
        '{"authorized":false,"ended":true}',
      )
    expect(await ask({})).toBe('{"authorized":false,"ended":false}')
  })

  test('opens nothing by its cookie alone, which the browser sends to every port of the host', async () => {
    const { dashboardUrl, log } = await cleanService()
    const { cookie, 'x-session-key': key } = await signIn(dashboardUrl)
    const other = await signIn(dashboardUrl)
    const half = (text: string) => text.split('=')[1] ?? ''
    const keys = ['', 'x', half(cookie), other['x-session-key'], `${key}x`, key.toLowerCase()]
    for (const stolen of [{ cookie }, ...keys.map(key => ({ cookie, 'x-session-key': key }))]) {
      expect(await opens(dashboardUrl, stolen)).toBe(false)
      const headers = { ...csrf, ...stolen }
      for (const call of [
        { path: '/rpc/live/follow', method: 'POST' },
        { path: '/download/backup', method: 'POST' },
        { path: '/api/v1/connections' },
      ]) {
        const answer = await http(dashboardUrl, { ...call, headers })
        expect([call.path, answer.status]).toEqual([call.path, 401])
      }
      expect((await http(dashboardUrl, { path: '/session', headers })).text).toContain('"authorized":false')
      await http(dashboardUrl, { method: 'DELETE', path: '/session', headers })
    }
    // Nor in an address, and the owner is still signed in.
    expect((await http(dashboardUrl, { path: `/session?key=${key}`, headers: { cookie } })).text).toContain(
      'false',
    )
    expect(await opens(dashboardUrl, { cookie, 'x-session-key': key })).toBe(true)
    for (const text of [key, half(cookie)]) expect(log.text()).not.toContain(text)
  })

  test('of a version without keys has ended, and its page says that it has ended', async () => {
    const { dashboardUrl } = await cleanService()
    const former = { cookie: `cc_session=${'A'.repeat(43)}` }
    expect(await opens(dashboardUrl, former)).toBe(false)
    const asked = await http(dashboardUrl, { path: '/session', headers: former })
    expect(asked.text).toBe('{"authorized":false,"ended":true}')
    const answer = await http(dashboardUrl, { ...post, headers: { ...bearer, ...former } })
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^cc_session_\d+=[A-Za-z0-9_-]{43};/),
      expect.stringMatching(/^cc_session=; .*Expires=Thu, 01 Jan 1970/),
    ])
  })

  test('does not take the place of that of another service on the same host', async () => {
    const [first, second] = [await cleanService(), await startService()]
    const sessions = [await signIn(first.dashboardUrl), await signIn(second.dashboardUrl)] as const
    const cookie = sessions.map(session => session.cookie).join('; ')
    expect(await opens(first.dashboardUrl, { ...sessions[0], cookie })).toBe(true)
    expect(await opens(second.dashboardUrl, { ...sessions[1], cookie })).toBe(true)
  })

  test('ends when its page asks for it, and only for that one', async () => {
    const { dashboardUrl } = await cleanService()
    const session = await signIn(dashboardUrl)
    const other = await signIn(dashboardUrl)
    const remove = { method: 'DELETE', path: '/session' }

    const withoutHeader = await http(dashboardUrl, { ...remove, headers: session })
    expect([withoutHeader.status, codeOf(withoutHeader)]).toEqual([403, 'missing_csrf_header'])
    expect(await opens(dashboardUrl, session)).toBe(true)

    const answer = await http(dashboardUrl, { ...remove, headers: { ...csrf, ...session } })
    expect([answer.status, answer.text]).toEqual([200, '{"authorized":false}'])
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^cc_session_\d+=; (Max-Age=0; )?Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Strict$/,
    )
    expect(await opens(dashboardUrl, session)).toBe(false)
    expect(await opens(dashboardUrl, other)).toBe(true)
    expect((await http(dashboardUrl, { ...remove, headers: { ...csrf, ...session } })).status).toBe(200)
  })

  test('outlives a restart, in a file that opens nothing', async () => {
    const fixture = await cleanService()
    const session = await signIn(fixture.dashboardUrl)
    const ended = await signIn(fixture.dashboardUrl)
    await http(fixture.dashboardUrl, {
      method: 'DELETE',
      path: '/session',
      headers: { ...csrf, ...ended },
    })
    const file = join(fixture.dataFolder, 'sessions.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const text = await readFile(file, 'utf8')
    for (const secret of [adminToken, session.cookie.split('=')[1] ?? '', session['x-session-key']]) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret, 'base64url').toString('hex'))
    }
    await fixture.restart(Number(new URL(fixture.dashboardUrl).port))
    expect(await opens(fixture.dashboardUrl, session)).toBe(true)
    expect(await opens(fixture.dashboardUrl, ended)).toBe(false)
  })

  test('ends after 30 days', async () => {
    const { dashboardUrl, clock } = await cleanService()
    const session = await signIn(dashboardUrl)
    clock.now += 30 * 24 * 60 * 60 * 1000 - 1
    expect(await opens(dashboardUrl, session)).toBe(true)
    clock.now += 1
    expect(await opens(dashboardUrl, session)).toBe(false)
  })
})

test('a session fits no other admin token', async () => {
  const { service } = await cleanService()
  const sessions = (token: string) => createSessions(service.storage.sessions, token, randomBytes)
  const proof = await sessions('first token').begin()
  for (const token of ['first token', 'second token']) {
    const { digestOf, isOpen } = sessions(token)
    expect(await isOpen(digestOf(proof))).toBe(token === 'first token')
  }
})
