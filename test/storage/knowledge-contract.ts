import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { KnowledgeBounds, KnowledgeStore, StagedFile } from '#main/storage/knowledge.ts'
import { ServiceError } from '#shared/errors.ts'
import { type KnowledgeFile, noChoice } from '#shared/model/platform/knowledge.ts'

export type OpenedKnowledge = {
  /** Two handles on the same files. */
  readonly nodes: readonly [KnowledgeStore, KnowledgeStore]
  /** Closes both and opens them again on what they kept. */
  reopen(): Promise<readonly [KnowledgeStore, KnowledgeStore]>
  close(): Promise<void>
}

const scope = { workspaceId: 'default', agentId: 'default' }

const fileOf = (name: string, given: Partial<KnowledgeFile> = {}): KnowledgeFile => ({
  ...{
    fileId: `file_${given.agentId ?? 'default'}_${name.replaceAll(/[^a-z]/g, '-')}`,
    ...scope,
    name,
    bytes: 1,
  },
  ...{ kind: 'txt', detail: 'UTF-8', nameFits: true, sha256: '0'.repeat(64), characters: 1 },
  ...{ encoding: 'utf-8', separator: null, chosen: noChoice, pages: null, rows: null, lines: 1 },
  ...{ warnings: [], addedAt: '2026-11-22T08:00:00.000Z' },
  ...given,
})

const linesOf = (texts: readonly string[]) =>
  texts.map((text, index) => `${JSON.stringify([index + 1, index + 1, text])}\n`).join('')

/** The suite that any implementation of KnowledgeStore must pass. @param open gives new, empty stores each time. */
export function describeKnowledge(
  name: string,
  open: (bounds: Partial<KnowledgeBounds>) => Promise<OpenedKnowledge>,
): void {
  async function opened(bounds: Partial<KnowledgeBounds> = {}) {
    const all = await open(bounds)
    onTestFinished(() => all.close())
    const [a, b] = all.nodes
    const uploadIds = new Set<string>()
    return {
      ...{ a, b, reopen: all.reopen },
      async start(size: number, node = a) {
        const uploadId = `upl_${uploadIds.size}`
        uploadIds.add(uploadId)
        return (await node.startUpload({ ...scope, uploadId, name: 'a.txt', size })) ? uploadId : null
      },
      /** Adds a file with passages, which the reader of files would have written. */
      async add(file: KnowledgeFile, texts: readonly string[], content: Iterable<Uint8Array> = []) {
        const staged = await a.receive(Readable.from(content))
        await writeFile(staged.textPath, linesOf(texts))
        const added = await a.add(file, staged)
        await staged.discard()
        return added
      },
    }
  }

  async function contentOf(staged: StagedFile | null | undefined) {
    if (!staged) return null
    const content = await readFile(staged.path)
    await staged.discard()
    expect([staged.path, staged.textPath].filter(existsSync)).toEqual([])
    return content
  }

  describe(`${name} is a KnowledgeStore`, () => {
    describe('an upload', () => {
      test('that one node begins is continued by another, and finished by either', async () => {
        const { a, b, start } = await opened()
        // Longer than the pieces in which a database may keep it.
        const content = Buffer.from(Array.from({ length: 700_001 }, (_, index) => index % 251))
        const uploadId = (await start(content.length)) ?? ''
        expect(await a.addPiece(uploadId, 0, content.subarray(0, 500_000))).toEqual({
          ...{ bytes: 500_000, refused: null },
        })
        expect(await b.addPiece(uploadId, 500_000, content.subarray(500_000))).toEqual({
          ...{ bytes: 700_001, refused: null },
        })
        const finished = await a.finishUpload(uploadId)
        expect(finished).toMatchObject({ ...scope, uploadId, name: 'a.txt', size: 700_001, bytes: 700_001 })
        expect((await contentOf(finished?.staged))?.equals(content)).toBe(true)
      })

      test('may be empty', async () => {
        const { b, start } = await opened()
        const finished = await b.finishUpload((await start(0)) ?? '')
        expect(await contentOf(finished?.staged)).toEqual(Buffer.alloc(0))
      })

      test('takes no piece but the next one, and none too many', async () => {
        const { a, b, start } = await opened()
        const uploadId = (await start(4)) ?? ''
        await a.addPiece(uploadId, 0, Buffer.from('ab'))
        for (const node of [a, b]) {
          for (const offset of [0, 1, 3])
            expect(await node.addPiece(uploadId, offset, Buffer.from('x'))).toEqual({
              ...{ bytes: 2, refused: 'misplaced' },
            })
          expect(await node.addPiece(uploadId, 2, Buffer.from('xyz'))).toEqual({
            ...{ bytes: 2, refused: 'too_large' },
          })
        }
        await b.addPiece(uploadId, 2, Buffer.from('cd'))
        expect(String(await contentOf((await b.finishUpload(uploadId))?.staged))).toBe('abcd')
      })

      test('takes one of two pieces for the same place', async () => {
        const { a, b, start } = await opened()
        const uploadId = (await start(2000)) ?? ''
        const pieces = [a, b].map((node, index) => node.addPiece(uploadId, 0, Buffer.alloc(1000, `${index}`)))
        const refused = (await Promise.all(pieces)).map(one => one?.refused ?? null)
        expect(refused.filter(one => one === null)).toHaveLength(1)
        await a.addPiece(uploadId, 1000, Buffer.alloc(1000, 'x'))
        const content = String(await contentOf((await b.finishUpload(uploadId))?.staged))
        expect(content).toBe(`${refused.indexOf(null)}`.repeat(1000) + 'x'.repeat(1000))
      })

      test('takes the last piece again, also at once', async () => {
        const { a, b, start } = await opened()
        const uploadId = (await start(6)) ?? ''
        const add = (node: typeof a, offset: number, text: string) =>
          node.addPiece(uploadId, offset, Buffer.from(text))
        const added = (bytes: number) => ({ bytes, refused: null })
        expect(await Promise.all([add(a, 0, 'ab'), add(b, 0, 'ab'), add(a, 0, 'ab')])).toEqual(
          Array(3).fill(added(2)),
        )
        expect(await add(b, 2, 'cd')).toEqual(added(4))
        for (const node of [a, b]) {
          expect(await add(node, 2, 'cd')).toEqual(added(4))
          for (const [offset, text] of [
            [0, 'ab'],
            [2, 'cx'],
            [2, 'c'],
            [3, 'd'],
          ] as const)
            expect(await add(node, offset, text)).toEqual({ bytes: 4, refused: 'misplaced' })
        }
        expect(await add(a, 4, 'ef')).toEqual(added(6))
        expect(await add(b, 4, 'ef')).toEqual(added(6))
        expect(String(await contentOf((await b.finishUpload(uploadId))?.staged))).toBe('abcdef')
      })

      test('goes on if it is finished too early', async () => {
        const { a, b, start } = await opened()
        const uploadId = (await start(2)) ?? ''
        await a.addPiece(uploadId, 0, Buffer.from('a'))
        expect(await b.finishUpload(uploadId)).toMatchObject({ bytes: 1, size: 2, staged: null })
        await b.addPiece(uploadId, 1, Buffer.from('b'))
        expect(String(await contentOf((await b.finishUpload(uploadId))?.staged))).toBe('ab')
      })

      test('is given to one of those who finish it at once', async () => {
        const { a, b, start } = await opened()
        const uploadId = (await start(1)) ?? ''
        await a.addPiece(uploadId, 0, Buffer.from('a'))
        const all = await Promise.all([a, b, a, b].map(node => node.finishUpload(uploadId)))
        const given = all.filter(one => one !== null)
        expect(given).toHaveLength(1)
        expect(String(await contentOf(given[0]?.staged))).toBe('a')
        expect(await b.addPiece(uploadId, 1, Buffer.from('b'))).toBeNull()
        expect(await a.cancelUpload(uploadId)).toBe(false)
      })

      test('is gone for all when it is cancelled, also while a piece arrives', async () => {
        const { a, b, start } = await opened()
        const uploadId = (await start(10)) ?? ''
        const piece = a.addPiece(uploadId, 0, Buffer.from('a'))
        expect(await b.cancelUpload(uploadId)).toBe(true)
        await piece
        for (const node of [a, b]) {
          expect(await node.addPiece(uploadId, 1, Buffer.from('b'))).toBeNull()
          expect(await node.finishUpload(uploadId)).toBeNull()
          expect(await node.cancelUpload(uploadId)).toBe(false)
        }
      })

      test('is refused if there are too many on all nodes together', async () => {
        const { a, b, start } = await opened({ mostUploads: 20 })
        const started = await Promise.all(
          Array.from({ length: 30 }, (_, index) => start(1, index % 2 ? a : b)),
        )
        const ids = started.filter(one => one !== null)
        expect(ids).toHaveLength(20)
        await b.cancelUpload(ids[0] ?? '')
        expect(await start(1)).not.toBeNull()
        expect(await start(1, b)).toBeNull()
      })

      test('is discarded if no piece arrives for a while', async () => {
        const { a, b, start } = await opened({ mostUploads: 1, uploadMs: 1 })
        const first = (await start(1)) ?? ''
        await expect.poll(() => start(1, b)).not.toBeNull()
        expect(await a.finishUpload(first)).toBeNull()
      })
    })

    describe('a whole file', () => {
      test('is received to its last byte', async () => {
        const { a } = await opened()
        const staged = await a.receive(Readable.from(['ab', 'c'].map(Buffer.from)))
        expect(String(await contentOf(staged))).toBe('abc')
      })

      test('is refused as its pieces say, and as unavailable if they break off', async () => {
        const { a } = await opened()
        async function* pieces(error: Error) {
          yield Buffer.from('a')
          throw error
        }
        const tooLarge = a.receive(pieces(new ServiceError('file_too_large')))
        await expect(tooLarge).rejects.toMatchObject({ code: 'file_too_large' })
        const cut = a.receive(pieces(new Error('The connection is gone.')))
        await expect(cut).rejects.toMatchObject({ code: 'storage_unavailable' })
        const aborted = a.receive(pieces(new Error('Never read')), AbortSignal.abort())
        await expect(aborted).rejects.toMatchObject({ code: 'storage_unavailable' })
      })
    })

    test('has nothing before the first file', async () => {
      const { a, b } = await opened()
      for (const node of [a, b]) {
        expect(await node.list(scope)).toEqual([])
        expect(await node.agents()).toEqual([])
        expect(await node.readEarlier()).toEqual([])
        expect(await node.search({ ...scope, query: 'x', limit: 1 })).toEqual([])
        expect(await node.get('file_a')).toBeNull()
        expect(await node.restage('file_a')).toBeNull()
        expect(await node.remove('file_a')).toBe(false)
        expect(await node.removeAgent(scope)).toBe(0)
        expect(await node.cancelUpload('upl_a')).toBe(false)
        await node.keepOnly([])
      }
    })

    test('lists the files of an agent for all, the newest first, also after it was closed', async () => {
      const { b, add, reopen } = await opened()
      const first = fileOf('a.txt', { warnings: [{ code: 'no_text', message: 'No \u0000 \ud800 text' }] })
      const second = fileOf('b \ud83d\ude00.txt', { addedAt: '2026-11-23T08:00:00.000Z' })
      const other = fileOf('c.txt', { agentId: 'sales' })
      for (const file of [first, second, other]) expect(await add(file, ['x'])).toEqual(file)
      const expectAll = async (node: KnowledgeStore) => {
        expect(await node.list(scope)).toEqual([second, first])
        expect(await node.get(first.fileId)).toEqual(first)
        expect(await node.get('file_none')).toBeNull()
        expect(await node.readEarlier()).toEqual([])
        expect(await node.agents()).toEqual([
          { ...scope, files: 2, firstAddedAt: first.addedAt, lastAddedAt: second.addedAt },
          { ...scope, agentId: 'sales', files: 1, firstAddedAt: other.addedAt, lastAddedAt: other.addedAt },
        ])
      }
      await expectAll(b)
      await expectAll((await reopen())[1])
    })

    test('publishes its changes to all', async () => {
      const { a, b, add } = await opened()
      let seen = b.changes.count()
      const expectChange = async () => {
        await expect.poll(() => b.changes.count()).toBeGreaterThan(seen)
        seen = b.changes.count()
      }
      const file = fileOf('a.txt')
      await add(file, ['x'])
      await expectChange()
      await a.reread({ ...file, characters: 2 }, null)
      await expectChange()
      await a.remove(file.fileId)
      await expectChange()
      await add(file, ['x'])
      await expectChange()
      await a.removeAgent(scope)
      await expectChange()
      await add(file, ['x'])
      await expectChange()
      await a.keepOnly([])
      await expectChange()
    })

    test('returns the existing file of the same name and contents', async () => {
      const { b, add } = await opened()
      const first = fileOf('a.txt')
      await add(first, ['x'])
      expect(await add({ ...first, fileId: 'file_again' }, ['y'])).toEqual(first)
      const renamed = fileOf('b.txt')
      const changed = fileOf('a.txt', { fileId: 'file_changed', sha256: '1'.repeat(64) })
      const ofOther = fileOf('a.txt', { agentId: 'sales' })
      for (const file of [renamed, changed, ofOther]) expect(await add(file, ['y'])).toEqual(file)
      expect(await b.list(scope)).toEqual([changed, renamed, first])
    })

    test('adds no file over the bytes of an agent, and counts each agent on its own', async () => {
      const { add } = await opened({ mostFiles: 10, mostBytes: 100 })
      const addBytes = async (name: string, bytes: number, agentId = 'default') =>
        (await add(fileOf(name, { bytes, agentId }), ['x']))?.name ?? null
      expect(await addBytes('a', 60)).toBe('a')
      expect(await addBytes('b', 41)).toBeNull()
      expect(await addBytes('c', 40)).toBe('c')
      expect(await addBytes('b', 41, 'sales')).toBe('b')
    })

    test('adds no file over the files of an agent', async () => {
      const { add } = await opened({ mostFiles: 1, mostBytes: 100 })
      expect(await add(fileOf('a'), ['x'])).not.toBeNull()
      expect(await add(fileOf('b'), ['x'])).toBeNull()
      expect(await add(fileOf('a'), ['x'])).not.toBeNull()
    })

    test('reads the text of a file from a passage or a place', async () => {
      const { b, add } = await opened()
      const file = fileOf('a.txt')
      const texts = Array.from({ length: 25 }, (_, index) => `Line ${index + 1}`)
      await add(file, texts)
      const passageOf = (index: number) => ({
        ...{ index, first: index + 1, last: index + 1, text: `Line ${index + 1}` },
      })
      expect(await b.text(file.fileId, { from: 3, limit: 2 })).toEqual({
        ...{ passages: [3, 4].map(passageOf), total: 25, next: 5 },
      })
      expect(await b.text(file.fileId, { from: 0, at: 24, limit: 10 })).toEqual({
        ...{ passages: [23, 24].map(passageOf), total: 25, next: null },
      })
      expect((await b.text(file.fileId, { from: 0, at: 26, limit: 10 })).passages).toEqual([])
      expect((await b.text('file_none', { from: 0, limit: 10 })).passages).toEqual([])
    })

    test('finds passages by words, their beginnings, and without case and accents', async () => {
      const { b, add } = await opened()
      await add(fileOf('a.txt'), ['A customer may return a damaged article.', 'Café: open from 9 to 5'])
      await add(fileOf('b.txt'), ['A parcel of ŁÓDŹ'])
      await add(fileOf('c.txt', { agentId: 'sales' }), ['Another damaged article'])
      const search = async (query: string, fileId?: string) =>
        (await b.search({ ...scope, query, fileId, limit: 10 })).map(
          ({ file, first }) => `${file.name} ${first}`,
        )
      expect(await search('damaged')).toEqual(['a.txt 1'])
      expect(await search('DAMAG artic')).toEqual(['a.txt 1'])
      expect(await search('cafe')).toEqual(['a.txt 2'])
      expect(await search('CAFÉ')).toEqual(['a.txt 2'])
      expect(await search('lódź')).toEqual([])
      expect(await search('łodz')).toEqual(['b.txt 1'])
      // A single letter is a word of its own.
      expect(await search('p')).toEqual([])
      expect(await search('"or" AND (NOT -:* customer')).toEqual(['a.txt 1'])
      // Passages with all words; if there are none, with some of them.
      expect(await search('customer damaged')).toEqual(['a.txt 1'])
      expect((await search('customer parcel')).sort()).toEqual(['a.txt 1', 'b.txt 1'])
      expect(await search('customer parcel', 'file_default_b-txt')).toEqual(['b.txt 1'])
      expect(await search('customer', 'file_none')).toEqual([])
      expect(await search('?!')).toEqual([])
      expect(await b.search({ ...scope, query: 'a', limit: 1 })).toHaveLength(1)
    })

    test('marks the words in the snippet of a match', async () => {
      const { b, add } = await opened()
      await add(fileOf('a.txt'), ['A customer may return a damaged article.'])
      const [match] = await b.search({ ...scope, query: 'Damag customers custom', limit: 1 })
      expect(match?.snippet.map(({ text }) => text).join('')).toBe('A customer may return a damaged article.')
      expect(match?.snippet.filter(({ isMatch }) => isMatch).map(({ text }) => text)).toEqual([
        ...['customer', 'damaged'],
      ])
    })

    test('reads the bytes of a file again, and replaces what was read from it', async () => {
      const { a, b, add } = await opened()
      const content = Buffer.from(Array.from({ length: 600_000 }, (_, index) => index % 253))
      const sha256 = createHash('sha256').update(content).digest('hex')
      const file = fileOf('a.txt', { sha256 })
      await add(file, ['Before', 'Too'], [content.subarray(0, 300_000), content.subarray(300_000)])
      const staged = await b.restage(file.fileId)
      if (staged === null) throw new Error('The file is lost.')
      expect((await readFile(staged.path)).equals(content)).toBe(true)
      await writeFile(staged.textPath, linesOf(['After']))
      const again = { ...file, characters: 5 }
      expect(await b.reread(again, staged)).toBe(true)
      await staged.discard()
      expect(await a.get(file.fileId)).toEqual(again)
      expect((await a.text(file.fileId, { from: 0, limit: 9 })).passages.map(({ text }) => text)).toEqual([
        'After',
      ])
      expect(await a.search({ ...scope, query: 'before', limit: 9 })).toEqual([])
      expect(await a.search({ ...scope, query: 'after', limit: 9 })).toHaveLength(1)
      // Without a text, the text stays.
      expect(await a.reread(file, null)).toBe(true)
      expect((await b.text(file.fileId, { from: 0, limit: 9 })).total).toBe(1)
      expect(await a.reread(fileOf('none'), null)).toBe(false)
    })

    test('stages no file of which bytes are lost', async () => {
      const { a, b, add } = await opened()
      // The digest is of other bytes.
      await add(fileOf('a.txt'), ['x'], [Buffer.from('a')])
      expect(await b.restage('file_default_a-txt')).toBeNull()
      expect(await a.get('file_default_a-txt')).not.toBeNull()
    })

    test('deletes a file, the files of an agent, and those of other workspaces', async () => {
      const { a, b, add } = await opened()
      const files = [
        ...['a', 'b'].map(one => fileOf(one)),
        ...['c', 'd'].map(one => fileOf(one, { agentId: 'sales' })),
        fileOf('e', { workspaceId: 'ws_other' }),
      ]
      for (const file of files) await add(file, ['text'])
      const left = async (node: KnowledgeStore) =>
        (await Promise.all(files.map(({ fileId }) => node.get(fileId)))).map(one => one?.name ?? null)
      expect(await a.remove('file_default_a')).toBe(true)
      expect(await b.remove('file_default_a')).toBe(false)
      expect(await left(b)).toEqual([null, 'b', 'c', 'd', 'e'])
      expect(await b.removeAgent({ ...scope, agentId: 'sales' })).toBe(2)
      expect(await left(a)).toEqual([null, 'b', null, null, 'e'])
      await a.keepOnly(['ws_other'])
      expect(await left(b)).toEqual([null, null, null, null, 'e'])
      expect(await b.search({ ...scope, query: 'text', limit: 9 })).toEqual([])
      expect(await b.search({ ...scope, workspaceId: 'ws_other', query: 'text', limit: 9 })).toHaveLength(1)
    })
  })
}
