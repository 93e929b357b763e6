import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createConnection } from '#main/connections/connections.ts'
import { applyImport } from '#main/importing/imports.ts'
import type { Config } from '#main/storage/config.ts'
import { openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { countingRandom, now, nowMs } from '../connections/fixtures.ts'
import { faultyFiles } from '../storage/config-faults.ts'
import { newFolder, sealer } from '../storage/config-fixtures.ts'
import { newConnection, read } from './fixtures.ts'

const document = JSON.stringify({
  version: 1,
  connection: { name: 'Imported', baseUrl: 'https://api.example.com' },
  actions: Array.from({ length: 50 }, (_, index) => ({
    name: `Action ${index}`,
    description: 'Does something.',
    path: `/actions/${index}`,
    parameters: [{ name: 'id', type: 'string', description: 'Which.', required: true }],
  })),
  events: Array.from({ length: 20 }, (_, index) => ({ eventName: `event.${index}` })),
})

/** The same number of actions, in three connections. */
const ofServers = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Imported', version: '1' },
  servers: [{ url: 'https://api.example.com' }],
  paths: Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [
      `/actions/${index}`,
      {
        get: { operationId: `action${index}` },
        ...(index % 3 > 0 && { servers: [{ url: `https://${index % 3}.example.com` }] }),
      },
    ]),
  ),
})

/** A store that holds one connection, over files that can be made to fail. */
async function openFaulty() {
  const folder = await newFolder()
  const faulty = faultyFiles()
  const open = async (fs = faulty.fs) => {
    const ignored = { onError: () => {}, after: () => () => {} }
    const options = { file: join(folder, 'config.json'), sealer, clock: () => nowMs, fs, ...ignored }
    const store = await openConfigStore(options)
    onTestFinished(store.close)
    return store
  }
  const first = await open()
  const shop = await first.update(config => createConnection(config, { name: 'Shop' }, now, countingRandom()))
  await first.close()
  // Its next change begins a journal, so that more can fail.
  const store = await open()
  return { folder, faulty, store, reopen: () => open(faultyFiles().fs), shop }
}

const content = ({ connections }: Config) => [...connections]
const fileOf = (folder: string) => readFile(join(folder, 'config.json'), 'utf8')

async function callsOfAnImport(text: string): Promise<number> {
  const { faulty, store } = await openFaulty()
  faulty.failAt(Number.POSITIVE_INFINITY)
  await store.update(config => applyImport(config, read(text, 'auto'), newConnection, now, countingRandom()))
  return faulty.calls().length
}

/** Imports into a fresh store whose calls fail from the `call`-th on, or at that one alone. */
async function importFailing(text: string, call: number, forGood: boolean, into: boolean) {
  const { folder, faulty, store, reopen, shop } = await openFaulty()
  const target = { connectionId: into ? shop.connectionId : null, workspaceId: null }
  const run = () =>
    store.update(config => applyImport(config, read(text, 'auto'), target, now, countingRandom()))
  const before = { content: content(store.snapshot()), file: await fileOf(folder) }
  faulty.failAt(call, forGood)
  const error: unknown = await run().then(
    () => null,
    (caught: unknown) => caught,
  )
  faulty.failAt(Number.POSITIVE_INFINITY)
  const after = {
    content: content(store.snapshot()),
    file: await fileOf(folder),
    reopened: content((await reopen()).snapshot()),
  }
  return { before, after, error, run }
}

describe.each([
  { where: 'a new connection', into: false, text: document },
  { where: 'a connection that is there', into: true, text: document },
  { where: 'a connection for each server', into: false, text: ofServers },
])('an import into $where', ({ into, text }) => {
  test('leaves everything as it was, whichever write fails', async () => {
    const calls = await callsOfAnImport(text)
    let failures = 0
    for (let call = 1; call <= calls; call++) {
      const { before, after, error, run } = await importFailing(text, call, false, into)
      expect(after.reopened).toEqual(after.content)
      // Only tidying up failed, or there was another way.
      if (error === null) {
        expect(after.content).not.toEqual(before.content)
        continue
      }
      failures++
      expect(error).toMatchObject({ code: 'storage_unavailable' })
      expect(after).toEqual({ content: before.content, file: before.file, reopened: before.content })
      // It can be imported then as if nothing had been.
      expect((await run()).created.actions).toHaveLength(50)
    }
    expect(failures).toBeGreaterThan(5)
  })

  test('is whole or not at all when every write fails from one on', async () => {
    const calls = await callsOfAnImport(text)
    for (let call = 1; call <= calls; call++) {
      const { before, after, error } = await importFailing(text, call, true, into)
      // Only the mark of the newest change failed: it is a file of its own, written after the journal.
      if (error === null) {
        expect(after.content).not.toEqual(before.content)
        expect(after.reopened).toEqual(after.content)
        continue
      }
      expect(error).toMatchObject({ code: 'storage_unavailable' })
      expect(after.content).toEqual(before.content)
      // If the renamed file cannot be put back, it is complete.
      const actions = after.reopened.flatMap(([, connection]) => connection.actions)
      expect([0, 50]).toContain(actions.length)
    }
  })
})

test('an import is one line of the journal', async () => {
  const { faulty, store } = await openFaulty()
  faulty.failAt(Number.POSITIVE_INFINITY)
  await store.update(config => applyImport(config, read(document), newConnection, now, countingRandom()))
  // The second one is the mark of the newest change, a file of its own.
  expect(faulty.calls().filter(call => call === 'handle.write')).toHaveLength(2)
})
