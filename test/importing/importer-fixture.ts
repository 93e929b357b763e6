import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { ImportJob } from '#main/importing/import-job.ts'
import { createImporter, createImportPlanner, type Importer } from '#main/importing/importer.ts'
import type { JobRunner } from '#main/lib/jobs/job-runner.ts'
import { openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { createSealer } from '#main/storage/local/secrets.ts'
import { ImportPreview } from '#shared/model/import-preview.ts'
import { newFolder } from '../storage/config-fixtures.ts'

export const now = '2026-11-22T08:00:00.000Z'

export const request = (text: string) => ({
  text,
  format: 'document' as const,
  connectionId: null,
  workspaceId: null,
})

export const shop = (rest: object = {}) =>
  request(
    JSON.stringify({
      connection: { name: 'Shop', baseUrl: 'https://api.shop.example' },
      actions: [{ name: 'Find', description: 'Finds.', path: '/find', headers: { 'X-Key': '{{SHOP_KEY}}' } }],
      ...rest,
    }),
  )

/** A store of its own for a test, with functions that make importers for it. All end with the test. */
export async function openStore() {
  const store = await openConfigStore({
    file: `${await newFolder()}/config.json`,
    sealer: createSealer(randomBytes(32)),
    clock: Date.now,
  })
  onTestFinished(() => store.close())
  function importer(planner: JobRunner<ImportJob, Uint8Array> = createImportPlanner()) {
    const made = createImporter({
      store,
      variables: () => new Map([['SHOP_KEY', ['settings']]]),
      clock: () => Date.parse(now),
      random: randomBytes,
      fetcher: { fetch: () => Promise.reject(new Error('Nothing is fetched.')) },
      planner,
    })
    onTestFinished(() => made.stop())
    return {
      ...made,
      preview: async (...request: Parameters<Importer['preview']>) =>
        ImportPreview.parse(JSON.parse(Buffer.from(await made.preview(...request)).toString())),
    }
  }
  return { store, importer }
}
