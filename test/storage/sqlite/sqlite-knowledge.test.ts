import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteKnowledge } from '#main/storage/local/sqlite/sqlite-knowledge.ts'
import { type KnowledgeFile, noChoice } from '#shared/model/platform/knowledge.ts'

async function openStore(bounds: { mostFiles: number; mostBytes: number }) {
  const folder = mkdtempSync(join(tmpdir(), 'cc-knowledge-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const files = await openSqliteKnowledge({
    file: join(folder, 'knowledge.sqlite'),
    uploadsFolder: join(folder, 'uploads'),
    bounds,
    onProblem(error) {
      throw error
    },
    onNotice(notice) {
      throw new Error(notice)
    },
  })
  onTestFinished(() => files.close())
  return files
}

const fileOf = (name: string, bytes: number, agentId: string): KnowledgeFile => ({
  ...{ fileId: `file_${agentId}_${name}`, workspaceId: 'default', agentId, name, bytes },
  ...{ kind: 'txt', detail: 'UTF-8', nameFits: true, sha256: '0'.repeat(64), characters: 1 },
  ...{ encoding: 'utf-8', separator: null, chosen: noChoice, pages: null, rows: null, lines: 1 },
  ...{ warnings: [], addedAt: '2026-11-22T08:00:00.000Z' },
})

async function open(bounds: { mostFiles: number; mostBytes: number }) {
  const files = await openStore(bounds)
  return async (name: string, bytes: number, agentId = 'default') => {
    const staged = await files.stage()
    writeFileSync(staged.path, 'x'.repeat(bytes))
    writeFileSync(staged.textPath, '[1,1,"x"]\n')
    const added = await files.add(fileOf(name, bytes, agentId), staged)
    return {
      added: added?.name ?? null,
      kept: (await files.list({ workspaceId: 'default', agentId })).length,
    }
  }
}

test('adds no file over the bytes of an agent, and counts each agent on its own', async () => {
  const add = await open({ mostFiles: 10, mostBytes: 100 })
  expect(await add('a', 60)).toEqual({ added: 'a', kept: 1 })
  expect(await add('b', 41)).toEqual({ added: null, kept: 1 })
  expect(await add('c', 40)).toEqual({ added: 'c', kept: 2 })
  expect(await add('b', 41, 'sales')).toEqual({ added: 'b', kept: 1 })
})

test('adds no file over the files of an agent', async () => {
  const add = await open({ mostFiles: 1, mostBytes: 100 })
  expect(await add('a', 1)).toEqual({ added: 'a', kept: 1 })
  expect(await add('b', 1)).toEqual({ added: null, kept: 1 })
  expect(await add('a', 1)).toEqual({ added: 'a', kept: 1 })
})

test('has no database before the first file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cc-knowledge-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'knowledge.sqlite')
  const scope = { workspaceId: 'default', agentId: 'default' }
  const files = await openSqliteKnowledge({
    file,
    uploadsFolder: join(folder, 'uploads'),
    onProblem(error) {
      throw error
    },
    onNotice(notice) {
      throw new Error(notice)
    },
  })
  onTestFinished(() => files.close())
  expect(await files.list(scope)).toEqual([])
  expect(await files.search({ ...scope, query: 'x', limit: 1 })).toEqual([])
  expect(await files.get('file_a')).toBeNull()
  expect(await files.remove('file_a')).toBe(false)
  await files.keepOnly([])
  await files.backup(join(folder, 'copy.sqlite'))
  expect(readdirSync(folder)).toEqual([])
})

test('searches for the rarer words if others are in every line, and for those alone if there are no others', async () => {
  const files = await openStore({ mostFiles: 10, mostBytes: 1000 })
  const line = (text: string, index: number) => `${JSON.stringify([index + 1, index + 1, text])}\n`
  const common = Array.from({ length: 60 }, (_, index) => line('article '.repeat(1000), index))
  const texts = [...common, line('A damaged article', 60)].join('')
  const staged = await files.stage()
  writeFileSync(staged.path, 'x')
  writeFileSync(staged.textPath, texts)
  await files.add(fileOf('a', 1, 'default'), staged)
  const search = (query: string) =>
    files.search({ workspaceId: 'default', agentId: 'default', query, limit: 5 })
  expect((await search('art damaged')).map(({ first }) => first)).toEqual([61])
  expect((await search('Article art')).map(({ first }) => first)).toEqual([1, 2, 3, 4, 5])
  expect(await search('articles')).toEqual([])
})
