import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { rendererFolder } from '#main/http/page.ts'
import { sharedService, startService } from '../support/service-fixture.ts'
import { bearer, http } from './http.ts'

const page = '<!doctype html><script type="module" src="./assets/index-B1c2.js"></script>'
const script = 'console.log("é")\n'.repeat(200)

const folder = await mkdtemp(join(tmpdir(), 'cc-static-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A folder as the build leaves it, and things beside it that are nobody's business. */
async function builtDashboard(): Promise<string> {
  const built = join(folder, 'renderer')
  await mkdir(join(built, 'assets'), { recursive: true })
  const files: [string, string | Buffer][] = [
    ['renderer/index.html', page],
    ['renderer/icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['renderer/.hidden', 'secret'],
    ['renderer/assets/index-B1c2.js', script],
    ['renderer/assets/index-B1c2.js.gz', gzipSync(script)],
    ['renderer/assets/inter-D3e4.woff2', Buffer.from([0, 1, 2])],
    ['secret.key', 'secret'],
  ]
  for (const [path, content] of files) await writeFile(join(folder, path), content)
  return built
}

const serveBuilt = sharedService({ dashboard: { rendererFolder: await builtDashboard() } })

const secure = {
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

describe('the built dashboard', () => {
  test('is served without sign-in, under a policy that allows only its own origin', async () => {
    const { dashboardUrl } = await serveBuilt()
    for (const path of ['/', '/index.html']) {
      const answer = await http(dashboardUrl, { path })
      expect([answer.status, answer.text]).toEqual([200, page])
      expect(answer.headers).toMatchObject({
        ...secure,
        'content-type': expect.stringMatching(/^text\/html; charset=utf-8$/i),
        'cache-control': 'no-cache',
        'content-security-policy':
          "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
          "font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; " +
          "frame-ancestors 'none'",
        'cross-origin-opener-policy': 'same-origin',
      })
      const { status, text, headers } = await http(dashboardUrl, { method: 'HEAD', path })
      expect([status, text, headers['content-length']]).toEqual([200, '', String(page.length)])
      const again = await http(dashboardUrl, {
        path,
        headers: { 'if-none-match': String(answer.headers.etag) },
      })
      expect([again.status, again.text]).toEqual([304, ''])
    }
  })

  test('has its hashed files kept for good, and no others', async () => {
    const { dashboardUrl } = await serveBuilt()
    const cacheOf = async (path: string) => {
      const answer = await http(dashboardUrl, { path })
      expect(answer.status).toBe(200)
      expect(answer.headers).toMatchObject(secure)
      return [answer.headers['cache-control'], answer.headers['content-type']]
    }
    const forGood = 'public, max-age=31536000, immutable'
    expect(await cacheOf('/assets/index-B1c2.js')).toEqual([
      forGood,
      expect.stringMatching(/^(text|application)\/javascript/),
    ])
    expect(await cacheOf('/assets/inter-D3e4.woff2')).toEqual([forGood, 'font/woff2'])
    expect(await cacheOf('/icon.svg')).toEqual(['no-cache', expect.stringMatching(/^image\/svg\+xml/)])
  })

  test('is sent compressed where the build has written it so', async () => {
    const { dashboardUrl } = await serveBuilt()
    const url = `${dashboardUrl}/assets/index-B1c2.js`
    const plain = await http(dashboardUrl, { path: '/assets/index-B1c2.js' })
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect(plain.text).toBe(script)
    const answer = await fetch(url, { headers: { 'accept-encoding': 'gzip' } })
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-encoding': 'gzip',
      'content-length': String(gzipSync(script).length),
      'content-type': expect.stringMatching(/javascript/),
      'cache-control': 'public, max-age=31536000, immutable',
      vary: expect.stringMatching(/accept-encoding/i),
    })
    expect(await answer.text()).toBe(gunzipSync(gzipSync(script)).toString())
    const uncompressed = await fetch(`${dashboardUrl}/icon.svg`, {
      headers: { 'accept-encoding': 'br, gzip' },
    })
    expect(uncompressed.headers.get('content-encoding')).toBeNull()
  })

  test.each([
    '/nope',
    '/assets',
    '/assets/',
    '/assets/nope.js',
    '/.hidden',
    '/../secret.key',
    '/%2e%2e/secret.key',
    '/..%2fsecret.key',
    '/assets/../../secret.key',
    '/assets/%2e%2e/%2e%2e/secret.key',
    '/assets/..\\..\\secret.key',
    '//index.html',
    '/./index.html',
    '/assets//index-B1c2.js',
    '/index.html/',
    '/INDEX.HTML',
    '/index.html%00.js',
    '/%zz',
  ])('has nothing else: %s', async path => {
    const { dashboardUrl, log } = await serveBuilt()
    const answer = await http(dashboardUrl, { path })
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([404, 'no_such_path'])
    expect(answer.headers).toMatchObject({ ...secure, 'cache-control': 'no-store' })
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('leaves the other ways in as they are', async () => {
    const { dashboardUrl } = await serveBuilt()
    expect((await http(dashboardUrl, { path: '/healthz' })).status).toBe(200)
    expect((await http(dashboardUrl, { path: '/api/v1/connections', headers: bearer })).status).toBe(200)
    expect((await http(dashboardUrl, { path: '/api/v1/connections' })).status).toBe(401)
    expect((await http(dashboardUrl, { path: '/rpc/connections/list' })).status).toBe(401)
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect((await http(dashboardUrl, { path: '/index.html', method, headers: bearer })).status).toBe(404)
    const foreign = await http(dashboardUrl, { path: '/', host: 'evil.example' })
    expect([foreign.status, foreign.text.includes('<script')]).toEqual([403, false])
  })
})

test('where it is not built, the page says how to build it, and has no script', async () => {
  const { dashboardUrl } = await startService()
  const answer = await http(dashboardUrl, { path: '/' })
  expect(answer.status).toBe(200)
  expect(answer.text).toContain('npm run build')
  expect(answer.text).not.toContain('<script')
  expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'unsafe-inline'/)
})

describe('its folder', () => {
  test.each([
    ['a checkout', 'src-main/http', 'out/renderer'],
    ['the command line of a checkout', 'src-main/cli', 'out/renderer'],
    ['the bundle', 'out/main', 'out/renderer'],
    ['a bundle elsewhere', 'app/main', 'app/renderer'],
  ])('is found from %s', async (_what, from, built) => {
    const root = await mkdtemp(join(folder, 'root-'))
    expect(rendererFolder(join(root, from))).toBeNull()
    await mkdir(join(root, built), { recursive: true })
    // A build that is under way has no page yet.
    expect(rendererFolder(join(root, from))).toBeNull()
    await writeFile(join(root, built, 'index.html'), page)
    expect(rendererFolder(join(root, from))).toBe(join(root, built))
  })
})
