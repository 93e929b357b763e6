import { writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { KnowledgeBounds } from '#main/storage/knowledge.ts'
import { openKnowledge } from '#main/storage/postgres/knowledge.ts'
import { snippetOf, vectorOf } from '#main/storage/postgres/passage-words.ts'
import { type KnowledgeFile, noChoice } from '#shared/model/platform/knowledge.ts'
import { noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import { newFolder } from '../config-fixtures.ts'
import { describeKnowledge } from '../knowledge-contract.ts'
import { emptyDatabase, openNode } from './open-database.ts'

async function openOn(url: string, bounds: Partial<KnowledgeBounds> = {}) {
  const node = await openNode(url)
  const { pool, signals, onError } = node
  const given = { uploadsFolder: await newFolder(), bounds, clock: Date.now }
  const files = await openKnowledge({ pool, signals, onError, ...given })
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    await files.close()
    await node.close()
    expect(node.errors).toEqual([])
  }
  onTestFinished(close)
  return { files, close }
}

describe.skipIf(noPostgres !== null)('in PostgreSQL', () => {
  describeKnowledge('the knowledge base', async bounds => {
    const url = await emptyDatabase()
    const openBoth = async () => [await openOn(url, bounds), await openOn(url, bounds)] as const
    let opened = await openBoth()
    const closeAll = async () => {
      for (const { close } of opened) await close()
    }
    return {
      nodes: [opened[0].files, opened[1].files],
      async reopen() {
        await closeAll()
        opened = await openBoth()
        return [opened[0].files, opened[1].files]
      },
      close: closeAll,
    }
  })

  test('its changes are published after another program has told of a later one', async () => {
    const url = await emptyDatabase()
    const [a, b] = [(await openOn(url)).files, (await openOn(url)).files]
    await query(url, 'SELECT pg_notify($1, $2)', ['custom_connection', '["knowledge","1e300"]'])
    const staged = await a.receive(Readable.from([Buffer.from('x')]))
    await writeFile(staged.textPath, `${JSON.stringify([1, 1, 'x'])}\n`)
    const before = b.changes.count()
    await a.add(file, staged)
    await expect.poll(() => b.changes.count()).toBe(before + 1)
    await a.remove(file.fileId)
    await expect.poll(() => b.changes.count()).toBe(before + 2)
  })

  test('an upload that a crash of the server has emptied is not finished', async () => {
    const url = await emptyDatabase()
    const { files } = await openOn(url)
    const upload = { uploadId: 'upl_a', workspaceId: 'default', agentId: 'agent_a', name: 'a.txt', size: 2 }
    expect(await files.startUpload(upload)).toBe(true)
    await files.addPiece('upl_a', 0, Buffer.from('a'))
    await files.addPiece('upl_a', 1, Buffer.from('b'))
    await query(
      url,
      `CREATE FUNCTION crash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         DELETE FROM upload_piece WHERE at > 0; DELETE FROM upload; RETURN NULL; END $$;
       CREATE TRIGGER crash AFTER UPDATE OF is_finished ON upload EXECUTE FUNCTION crash()`,
    )
    expect(await files.finishUpload('upl_a')).toBeNull()
  })

  test('a passage is kept as it is, also with characters that end a line elsewhere', async () => {
    const { files } = await openOn(await emptyDatabase())
    const text = 'one\u2028two\u0085three \u0000 \ud800 \\d800'
    const staged = await files.receive(Readable.from([Buffer.from('x')]))
    await writeFile(staged.textPath, `${JSON.stringify([1, 1, text])}\n`)
    await files.add(file, staged)
    expect((await files.text('file_a', { from: 0, limit: 1 })).passages).toEqual([
      { index: 0, first: 1, last: 1, text },
    ])
    const [match] = await files.search({ ...scope, query: 'three', limit: 1 })
    expect(match?.snippet.find(({ isMatch }) => isMatch)?.text).toBe('three')
  })
})

const scope = { workspaceId: 'default', agentId: 'default' }
const file: KnowledgeFile = {
  ...{ fileId: 'file_a', ...scope, name: 'a', bytes: 1, kind: 'txt', detail: 'UTF-8', nameFits: true },
  ...{ sha256: '0'.repeat(64), characters: 1, encoding: 'utf-8', separator: null, chosen: noChoice },
  ...{ pages: null, rows: null, lines: 1, warnings: [], addedAt: '2026-11-22T08:00:00.000Z' },
}

describe('the words of a passage', () => {
  test('have their places, and are quoted', () => {
    expect(vectorOf("It's Café, it is.", [':a1'])).toBe("':a1' 'it':1,4 's':2 'cafe':3 'is':5")
    expect(vectorOf('\u0000 ?!', [])).toBe('')
  })

  test('are marked in the part of a text that has the most of them', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ')
    const shown = (text: string, ...words: string[]) =>
      snippetOf(text, words)
        .map(part => (part.isMatch ? `[${part.text}]` : part.text))
        .join('')
    expect(shown('A damaged article.', 'damag', 'x')).toBe('A [damaged] article.')
    expect(shown(`one ${many(40)} one two ${many(40)}`, 'one', 'two')).toBe(
      `…w38 w39 [one] [two] ${many(20)}…`,
    )
    expect(shown(`${many(40)} end`, 'end')).toBe(`…${many(40).split(' ').slice(17).join(' ')} [end]`)
    expect(shown('', 'x')).toBe('')
  })
})
