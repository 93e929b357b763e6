import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { type CliService, rest, serve, stop, temporaryFolder } from '../support/cli-service.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { waitMs } from '../support/patience.ts'

const dayMs = 24 * 3_600_000
const env = { HOOK_SECRET: `whsec_${'a'.repeat(43)}=` }
const Runs = z.object({ runs: z.array(z.object({ eventName: z.string() })) })

async function kill(service: CliService): Promise<void> {
  service.process.signal('SIGKILL')
  await service.process.ended
}

/** Lets nobody else write to a database of a service. Returns what ends that. */
function hold(data: string, file: string): () => void {
  const database = new DatabaseSync(join(data, file), { timeout: waitMs })
  onTestFinished(() => {
    if (database.isOpen) database.close()
  })
  database.exec('BEGIN IMMEDIATE')
  return () => database.close()
}

/** Waits until alerts were opened, and told or not. */
async function waitForAlerts(data: string, isTold: boolean): Promise<void> {
  const database = new DatabaseSync(join(data, 'history.sqlite'), { readOnly: true, timeout: waitMs })
  try {
    const told = () => database.prepare('SELECT kind, is_told FROM alert').all()
    await expect.poll(told, { timeout: waitMs }).toEqual([{ kind: 'backup_old', is_told: Number(isTold) }])
  } finally {
    database.close()
  }
}

test('kill -9 before and after an alert is told leaves one run for each target', async () => {
  const data = temporaryFolder()
  const system = await startExternalSystem()
  const first = await serve(data, [], { env })
  const webhook = { url: system.url, secretVariable: 'HOOK_SECRET', alerts: true }
  expect((await rest(first, 'PATCH', '/workspaces/default', { body: { webhook } })).status).toBe(200)
  const trigger = { type: 'external.event', connectionId: 'conn_service', eventName: 'service.backup_old.*' }
  const steps = [{ key: 'end', type: 'stop', outcome: 'succeeded' }]
  const created = await rest(first, 'POST', '/workflows', { body: { name: 'Page', trigger, steps } })
  const { workflowId } = z.object({ workflowId: z.string() }).parse(created.body)
  // None of the conditions of the computer that runs this test.
  const disk = { enabled: false }
  expect((await rest(first, 'PATCH', '/watch', { body: { disk, node: disk } })).status).toBe(200)

  // The alert is written, and no run can be.
  const letRunsBe = hold(data, 'events.sqlite')
  await rest(first, 'POST', '/backups/note', { body: { at: Date.now() - 3 * dayMs } })
  await waitForAlerts(data, false)
  await kill(first)
  letRunsBe()
  expect(system.requests).toEqual([])

  // The runs are written, and that they are cannot be.
  const second = await serve(data, [], { env })
  const letAlertsBe = hold(data, 'history.sqlite')
  await expect.poll(() => system.requests.length, { timeout: waitMs }).toBeGreaterThan(0)
  await kill(second)
  letAlertsBe()

  const third = await serve(data, [], { env })
  await waitForAlerts(data, true)
  const runs = async () => Runs.parse((await rest(third, 'GET', `/runs?workflowId=${workflowId}`)).body).runs
  expect(await runs()).toEqual([expect.objectContaining({ eventName: 'service.backup_old.opened' })])
  expect(await stop(third)).toBe(0)
  expect(new Set(system.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
})
