import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type CreatedConnection, createConnection } from '../support/rest-client.ts'
import { postInbound, type ServiceFixture, startService } from '../support/service-fixture.ts'
import { http } from './http.ts'

const mebibyte = 1024 * 1024

/** Mounts a file system of 24 MiB for a test. Returns its folder; null where this user may not mount. */
function mountSmallDisk(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null
  const folder = mkdtempSync(join(tmpdir(), 'cc-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder])
  if (status !== 0) {
    rmSync(folder, { recursive: true })
    return null
  }
  onTestFinished(() => {
    spawnSync('umount', [folder])
    rmSync(folder, { recursive: true })
  })
  return folder
}

/** Fills the disk but for so many bytes. */
function fill(folder: string, free: number): void {
  const path = join(folder, 'filler')
  const file = openSync(path, 'w')
  for (const length of [mebibyte, 512]) {
    const bytes = Buffer.alloc(length)
    try {
      for (;;) writeSync(file, bytes)
    } catch {} // The disk is full.
  }
  closeSync(file)
  truncateSync(path, statSync(path).size - free)
}

async function startOn(disk: string, reserveBytes: number) {
  vi.stubEnv('TMPDIR', disk)
  onTestFinished(() => void vi.unstubAllEnvs())
  const fixture = await startService({ service: { reserveBytes } })
  const stored = await createConnection(fixture.rest, { name: 'Stored', persistEvents: true })
  const passing = await createConnection(fixture.rest, { name: 'Passing' })
  expect(await post(fixture, stored, 10)).toBe(200)
  return { fixture, stored, passing }
}

async function post(
  fixture: ServiceFixture,
  { credentials }: CreatedConnection,
  bytes: number,
): Promise<number> {
  const inboundUrl = fixture.listenerUrl + new URL(credentials.inboundUrl).pathname
  const body = JSON.stringify({ event: 'order.paid', data: { text: 'x'.repeat(bytes) } })
  return (await postInbound({ ...credentials, inboundUrl }, body)).status
}

async function health({ dashboardUrl }: ServiceFixture) {
  const { status, text } = await http(dashboardUrl, { path: '/healthz' })
  return { status, ...JSON.parse(text) }
}

async function readiness({ dashboardUrl }: ServiceFixture): Promise<unknown> {
  return JSON.parse((await http(dashboardUrl, { path: '/readyz' })).text)
}

test.for(
  [0, 4 * mebibyte].flatMap(reserveBytes => [0, 4096, 65_536, 200_000].map(free => ({ reserveBytes, free }))),
)('starts with $free bytes free and a reserve of $reserveBytes', async ({ reserveBytes, free }, { skip }) => {
  const disk = mountSmallDisk()
  if (disk === null) return skip('Only root may mount a small file system.')
  const { fixture, stored, passing } = await startOn(disk, reserveBytes)
  await fixture.stop()
  fill(disk, free)
  await fixture.restart()

  for (const path of [
    ...['/connections', '/runs', '/attempts', '/conversations', '/service', '/statistics'],
    `/connections/${stored.connectionId}/events?text=x`,
  ])
    expect((await fixture.rest('GET', path)).status, path).toBe(200)
  const before = await health(fixture)
  expect(before).toMatchObject({ status: 503, ok: false, refused: expect.stringMatching(/^(stored|large)$/) })
  expect(await post(fixture, passing, 10)).toBe(200)
  // A page that is not full yet may have room for a small one, whatever health says.
  if (before.refused === 'large') expect(await post(fixture, stored, 10)).toBe(200)
  expect(await post(fixture, stored, 900_000)).toBe(503)
  if (before.refused === 'stored')
    await expect.poll(() => readiness(fixture)).toEqual({ ready: false, reason: 'disk_full' })

  rmSync(join(disk, 'filler'))
  await fixture.restart()
  expect(await health(fixture)).toMatchObject({ status: 200, ok: true })
  expect(await post(fixture, stored, 900_000)).toBe(200)
})

test('is healthy exactly while an event of the full size is accepted', async ({ skip }) => {
  const disk = mountSmallDisk()
  if (disk === null) return skip('Only root may mount a small file system.')
  const { fixture, stored } = await startOn(disk, 0)
  // Less than what the settings allow, by the rest of the body.
  const full = mebibyte - 100
  const seen = new Set<number>()
  for (const free of [3 * mebibyte, 1.5 * mebibyte, 0.5 * mebibyte, 65_536]) {
    fill(disk, free)
    const { status } = await health(fixture)
    seen.add(status)
    if (status === 200) expect(await post(fixture, stored, full), `${free} bytes free`).toBe(200)
    rmSync(join(disk, 'filler'))
  }
  expect(seen).toEqual(new Set([200, 503]))
})
