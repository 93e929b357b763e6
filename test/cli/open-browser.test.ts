import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { browserCommand, openInBrowser, redirectOnce } from '#main/cli/open-browser.ts'
import { temporaryFolder } from '../support/cli-service.ts'

const url = 'http://127.0.0.1:8788/#token=secret'

describe('a browser', () => {
  test.each([
    ['linux', { DISPLAY: ':0' }, true, ['xdg-open']],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true, ['xdg-open']],
    ['linux', {}, true, null],
    ['linux', { DISPLAY: ':0' }, false, null],
    ['linux', { DISPLAY: ':0', CI: 'true' }, true, null],
    ['darwin', {}, true, ['open']],
    ['darwin', { CI: '1' }, true, null],
    ['win32', {}, true, ['rundll32', 'url.dll,FileProtocolHandler']],
    ['win32', {}, false, null],
  ] as const)('on %s with %j, terminal: %s, is opened by %j', (platform, env, isTerminal, command) => {
    expect(browserCommand(platform, env, isTerminal)).toEqual(command)
  })

  test('is led to the address once, so that its token is in no argument', async () => {
    const address = await redirectOnce(url)
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}$/)
    const get = (path: string) => fetch(new URL(path, address), { redirect: 'manual' })
    expect((await get('/other')).status).toBe(404)
    expect((await fetch(address, { method: 'POST', redirect: 'manual' })).status).toBe(404)
    const first = await get(address)
    expect([first.status, first.headers.get('location')]).toEqual([302, url])
    expect(first.headers.get('cache-control')).toBe('no-store')
    await expect(get(address)).rejects.toThrow('fetch failed')
  })

  test.runIf(process.platform !== 'win32')('gets that address as its last argument', async () => {
    const folder = temporaryFolder()
    const program = join(folder, 'browser')
    const seen = join(folder, 'seen')
    writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > ${seen}.part && mv ${seen}.part ${seen}\n`)
    chmodSync(program, 0o755)
    const fail = () => expect.unreachable()
    expect(await openInBrowser([program, '--new'], url, fail)).toBe(true)
    await expect.poll(() => existsSync(seen)).toBe(true)
    const [option, address = ''] = readFileSync(seen, 'utf8').split('\n')
    expect(option).toBe('--new')
    expect(address).not.toContain('secret')
    expect((await fetch(address, { redirect: 'manual' })).headers.get('location')).toBe(url)
  })

  test('that is not there is not opened', async () => {
    const fail = () => expect.unreachable()
    expect(await openInBrowser([join(temporaryFolder(), 'none')], url, fail)).toBe(false)
  })

  test.runIf(process.platform !== 'win32')('that fails is reported', async () => {
    const failed = Promise.withResolvers<void>()
    expect(await openInBrowser(['false'], url, failed.resolve)).toBe(true)
    await failed.promise
  })
})
