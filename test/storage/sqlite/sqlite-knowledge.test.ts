import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import type { KnowledgeBounds } from '#main/storage/knowledge.ts'
import { openSqliteKnowledge } from '#main/storage/local/sqlite/sqlite-knowledge.ts'
import { noChoice } from '#shared/model/platform/knowledge.ts'
import { describeKnowledge } from '../knowledge-contract.ts'

describeKnowledge('the knowledge base in SQLite', async bounds => {
  const folder = temporaryFolder()
  let files = await openStore(folder, bounds)
  return {
    nodes: [files, files],
    async reopen() {
      await files.close()
      files = await openStore(folder, bounds)
      return [files, files]
    },
    close: () => files.close(),
  }
})

function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'cc-knowledge-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function openStore(folder: string, bounds: Partial<KnowledgeBounds> = {}) {
  return openSqliteKnowledge({
    file: join(folder, 'knowledge.sqlite'),
    uploadsFolder: join(folder, 'uploads'),
    bounds,
    clock: Date.now,
    onProblem(error) {
      throw error
    },
    onNotice(notice) {
      throw new Error(notice)
    },
  })
}

test('has no database before the first file', async () => {
  const folder = temporaryFolder()
  const files = await openStore(folder)
  onTestFinished(() => files.close())
  expect(await files.list({ workspaceId: 'default', agentId: 'default' })).toEqual([])
  await files.keepOnly([])
  await files.backup(join(folder, 'copy.sqlite'))
  expect(readdirSync(folder)).toEqual([])
})

test('searches for the rarer words if others are in every line, and for those alone if there are no others', async () => {
  const files = await openStore(temporaryFolder())
  onTestFinished(() => files.close())
  const line = (text: string, index: number) => `${JSON.stringify([index + 1, index + 1, text])}\n`
  const common = Array.from({ length: 60 }, (_, index) => line('article '.repeat(1000), index))
  const texts = [...common, line('A damaged article', 60)].join('')
  const staged = await files.receive(Readable.from([Buffer.from('x')]))
  writeFileSync(staged.textPath, texts)
  const scope = { workspaceId: 'default', agentId: 'default' }
  await files.add(
    {
      ...{ fileId: 'file_a', ...scope, name: 'a', bytes: 1, kind: 'txt', detail: 'UTF-8', nameFits: true },
      ...{ sha256: '0'.repeat(64), characters: 1, encoding: 'utf-8', separator: null, chosen: noChoice },
      ...{ pages: null, rows: null, lines: 1, warnings: [], addedAt: '2026-11-22T08:00:00.000Z' },
    },
    staged,
  )
  const search = (query: string) => files.search({ ...scope, query, limit: 5 })
  expect((await search('art damaged')).map(({ first }) => first)).toEqual([61])
  expect((await search('Article art')).map(({ first }) => first)).toEqual([1, 2, 3, 4, 5])
  expect(await search('articles')).toEqual([])
})
