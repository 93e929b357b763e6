import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newManifest } from '#main/backup/manifest.ts'
import { readBackup } from '#main/backup/read-backup.ts'
import { newFolder } from '../storage/config-fixtures.ts'
import { createConnection } from '../support/rest-client.ts'
import { backupLink, signIn } from '../support/rpc-client.ts'
import { adminToken, type ServiceFixture, sharedService, startService } from '../support/service-fixture.ts'
import { bearer, codeOf, http } from './http.ts'

const cleanService = sharedService()

const copiesIn = ({ dataFolder }: ServiceFixture) =>
  readdirSync(dataFolder).filter(name => name.startsWith('backup.tmp'))

async function download(response: Response) {
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/gzip')
  expect(response.headers.get('content-disposition')).toBe(
    'attachment; filename="custom-connection-backup-20261121.tar.gz"',
  )
  expect(response.headers.get('cache-control')).toBe('no-store')
  const file = join(await newFolder(), 'backup.tar.gz')
  await writeFile(file, new Uint8Array(await response.arrayBuffer()))
  return readBackup(file)
}

describe('a backup', () => {
  test('is given over REST to who has the admin token, and by a link to who is signed in', async () => {
    const service = await cleanService()
    await createConnection(service.rest)
    const { dashboardUrl } = service
    const overRest = await download(
      await fetch(`${dashboardUrl}/api/v1/backup`, { method: 'POST', headers: bearer }),
    )
    expect(overRest.files.map(({ name }) => name)).toContain('events.sqlite')
    const headers = await signIn(service.dashboardUrl)
    const { cookie } = headers
    const byLink = await download(
      await fetch(`${dashboardUrl}/${await backupLink(dashboardUrl, headers)}`, { headers: { cookie } }),
    )
    const path = `/${await backupLink(dashboardUrl, headers)}`
    for (const site of ['same-site', 'cross-site']) {
      const call = { path, headers: { cookie, 'sec-fetch-site': site } }
      expect(codeOf(await http(dashboardUrl, call))).toBe('forbidden_origin')
    }
    // A refusal for its origin does not use the link up.
    await download(
      await fetch(`${dashboardUrl}${path}`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } }),
    )
    expect(byLink.createdAt).toBe(overRest.createdAt)
    await expect.poll(() => copiesIn(service)).toEqual([])
    expect(service.log.text()).toContain('A backup is sent')
    for (const { sha256 } of byLink.files) expect(service.log.text()).not.toContain(sha256)
  })

  test.each([
    { method: 'POST', path: '/api/v1/backup', status: 401, code: 'unauthorized' },
    { method: 'POST', path: `/api/v1/backup?token=${adminToken}`, status: 401, code: 'unauthorized' },
    { method: 'POST', path: '/download/backup', status: 401, code: 'unauthorized' },
    {
      method: 'POST',
      path: '/download/backup',
      headers: { cookie: 'cc_session=x', 'x-csrf-token': 'orpc' },
      status: 401,
      code: 'unauthorized',
    },
    { method: 'GET', path: '/download/backup', headers: bearer, status: 404, code: 'no_such_path' },
    { method: 'GET', path: '/download/backup/x', headers: bearer, status: 410, code: 'link_expired' },
    { method: 'GET', path: '/api/v1/backup', headers: bearer, status: 405, code: 'method_not_allowed' },
    { method: 'POST', path: '/download/backup', headers: bearer, status: 401, code: 'unauthorized' },
    {
      method: 'POST',
      path: '/api/v1/backup',
      headers: { ...bearer, origin: 'https://evil.example' },
      status: 403,
      code: 'forbidden_origin',
    },
    {
      method: 'GET',
      path: '/download/backup',
      headers: bearer,
      host: 'evil.example',
      status: 403,
      code: 'forbidden_host',
    },
  ])('is not given to $method $path ($code)', async ({ status, code, ...call }) => {
    const service = await cleanService()
    const answer = await http(service.dashboardUrl, call)
    expect([answer.status, codeOf(answer)]).toEqual([status, code])
    expect(copiesIn(service)).toEqual([])
  })

  test('is not given by the cookie over REST, nor made for HEAD', async () => {
    const service = await cleanService()
    const session = await signIn(service.dashboardUrl)
    const headers = { ...session, 'x-csrf-token': 'orpc' }
    const overRest = await http(service.dashboardUrl, { method: 'POST', path: '/api/v1/backup', headers })
    expect(codeOf(overRest)).toBe('unauthorized')
    const path = `/${await backupLink(service.dashboardUrl, session)}`
    expect((await http(service.dashboardUrl, { method: 'HEAD', path, headers })).status).toBe(404)
  })

  test('has a link that works once, for a minute, for the browser that asked, while it is signed in', async () => {
    const { dashboardUrl, clock } = await cleanService()
    const session = await signIn(dashboardUrl)
    const { cookie } = session
    const link = async () => `/${await backupLink(dashboardUrl, session)}`
    const follow = async (path: string, headers: Record<string, string> = { cookie }) => {
      const { status, text } = await http(dashboardUrl, { path, headers })
      return status === 200 ? 'sent' : JSON.parse(text).code
    }
    const first = await link()
    expect(first).not.toContain(session['x-session-key'])
    expect([await follow(first), await follow(first)]).toEqual(['sent', 'link_expired'])
    expect(await follow(`${(await link()).slice(0, -1)}?`)).toBe('link_expired')

    const late = await link()
    clock.now += 60_000
    expect(await follow(late)).toBe('link_expired')
    const inTime = await link()
    clock.now += 59_999
    expect(await follow(inTime)).toBe('sent')

    const [stolen, stolenToo, over] = [await link(), await link(), await link()]
    expect(await follow(stolen, {})).toBe('link_expired')
    const { cookie: otherCookie } = await signIn(dashboardUrl)
    expect(await follow(stolenToo, { cookie: otherCookie })).toBe('link_expired')
    const headers = { ...session, 'x-csrf-token': 'orpc' }
    await http(dashboardUrl, { method: 'DELETE', path: '/session', headers })
    expect(await follow(over)).toBe('link_expired')
  })

  test('ends with the session of the browser that downloads it', async () => {
    const stream = new PassThrough()
    const createdAt = '2026-11-21T12:00:00.000Z'
    const manifest = newManifest({ productVersion: '0.1.0', createdAt, dataKey: 'file', files: [] })
    const backups = { create: async () => ({ fileName: 'backup.tar.gz', manifest, stream }) }
    const { dashboardUrl } = await startService({ parts: { backups } })
    const session = await signIn(dashboardUrl)
    stream.write('the first bytes')
    const { cookie } = session
    const { body } = await fetch(`${dashboardUrl}/${await backupLink(dashboardUrl, session)}`, {
      headers: { cookie },
    })
    const reader = body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    const headers = { ...session, 'x-csrf-token': 'orpc' }
    await http(dashboardUrl, { method: 'DELETE', path: '/session', headers })
    await expect(reader?.read()).rejects.toThrowError()
    await expect.poll(() => stream.destroyed).toBe(true)
  })

  test('that nobody waits for leaves nothing behind', async () => {
    const service = await cleanService()
    const { port } = new URL(service.dashboardUrl)
    const socket = connect(Number(port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(
      `POST /api/v1/backup HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`,
    )
    await expect.poll(() => copiesIn(service), { interval: 1 }).toHaveLength(1)
    socket.destroy()
    await expect.poll(() => copiesIn(service)).toEqual([])
  })

  test('that cannot be made is refused with the reason', async () => {
    const service = await startService({
      parts: { backups: { create: () => Promise.reject(new Error('out of luck')) } },
    })
    const answer = await http(service.dashboardUrl, {
      method: 'POST',
      path: '/api/v1/backup',
      headers: bearer,
    })
    expect([answer.status, codeOf(answer)]).toEqual([500, 'internal_error'])
  })
})
