/**
 * An import of 10,000 actions and 2,000 event types against one of a tenth, in turn: the text read and
 * planned (preview), and read, planned, applied and written durably by the configuration store (import).
 * Targets: both in less than 2 s together for the larger, and a cost that grows linearly, about ten times.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readImport } from '#main/importing/import-job.ts'
import { applyImport, previewImport } from '#main/importing/imports.ts'
import { openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { createSealer } from '#main/storage/local/secrets.ts'
import { median, spread } from './support/statistics.ts'

type Times = { readonly previewMs: number; readonly importMs: number }
export type ImportBench = {
  readonly previewMs: number
  readonly importMs: number
  readonly previewRatio: number
  readonly importRatio: number
  readonly sumMs: number
}

const target = { connectionId: null, workspaceId: null }

/** A document of ordinary actions, each of some 700 bytes, and a fifth as many event types. */
function documentOf(actions: number): string {
  const document = {
    version: 1,
    connection: { name: 'Large', baseUrl: 'https://api.example.com' },
    actions: Array.from({ length: actions }, (_, index) => ({
      name: `Find order of kind ${index}`,
      description: `Finds the orders of kind ${index}. Use it when somebody asks where an order is.`,
      method: index % 2 === 0 ? 'GET' : 'POST',
      path: `/orders/kind-${index}?expand=lines`,
      headers: { 'X-Api-Key': '{{ORDERS_KEY}}', 'X-Kind': String(index) },
      parameters: ['order_id', 'buyer', 'limit'].map(name => ({
        name,
        type: name === 'limit' ? 'number' : 'string',
        description: `The ${name} to look for.`,
        required: name === 'order_id',
      })),
      responseMapping: { status: 'order.status', first_sku: 'order.lines[0].sku' },
    })),
    events: Array.from({ length: actions / 5 }, (_, index) => ({
      eventName: `order.kind_${index}`,
      label: `Order of kind ${index}`,
      samplePayload: { id: index, customer: { name: 'Ada' }, lines: [{ sku: 'a', count: 2 }] },
    })),
  }
  return JSON.stringify(document, null, 2)
}

async function measure(text: string): Promise<Times> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-bench-import-'))
  const sealer = createSealer(randomBytes(32))
  const store = await openConfigStore({ file: join(folder, 'config.json'), sealer, clock: Date.now })
  try {
    const started = performance.now()
    const preview = previewImport(store.snapshot(), readImport(text, 'document', null), target)
    const previewed = performance.now()
    if (!preview.valid) throw new Error('The document of the benchmark is not valid.')
    const parsed = readImport(text, 'document', null)
    const now = new Date().toISOString()
    const { created } = await store.update(config => applyImport(config, parsed, target, now, randomBytes))
    const imported = performance.now()
    if (created.actions.length !== preview.actions.create.length)
      throw new Error('Something was not created.')
    return { previewMs: previewed - started, importMs: imported - previewed }
  } finally {
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
}

export async function run({ rounds = 7 } = {}): Promise<ImportBench> {
  const texts = { small: documentOf(1000), large: documentOf(10_000) }
  await measure(texts.small) // The first run compiles.
  const small: Times[] = []
  const large: Times[] = []
  for (let round = 0; round < rounds; round++) {
    small.push(await measure(texts.small))
    large.push(await measure(texts.large))
  }
  const of = (times: Times[], name: keyof Times) => times.map(time => time[name])
  for (const [title, times] of [
    ['1,000 actions, 200 event types   ', small],
    ['10,000 actions, 2,000 event types', large],
  ] as const)
    console.log(
      `${title}   preview ${spread(of(times, 'previewMs'))} ms, import ${spread(of(times, 'importMs'))} ms`,
    )
  const previewMs = median(of(large, 'previewMs'))
  const importMs = median(of(large, 'importMs'))
  const previewRatio = previewMs / median(of(small, 'previewMs'))
  const importRatio = importMs / median(of(small, 'importMs'))
  console.log(
    `ten times as many                   preview ${previewRatio.toFixed(1)}, import ${importRatio.toFixed(1)} times as long   linear: about 10`,
  )
  console.log(
    `preview and import of 10,000        ${(previewMs + importMs).toFixed(0)} ms   target: less than 2000`,
  )
  return { previewMs, importMs, previewRatio, importRatio, sumMs: previewMs + importMs }
}

if (import.meta.main) await run()
