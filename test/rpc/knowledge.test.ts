import { expect, test } from 'vitest'
import { z } from 'zod'
import { KnowledgeFile, KnowledgeMatch, KnowledgeText } from '#shared/model/platform/knowledge.ts'
import type { Rest } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

const service = sharedService()

/** Uploads a file in parts of a size. Returns the answer to the last request. */
async function upload(rest: Rest, name: string, bytes: Buffer, agentId = 'default', partBytes = 512 * 1024) {
  const started = await rest('POST', '/platform/knowledge/uploads', { agentId, name, bytes: bytes.length })
  if (started.status !== 200) return started
  const { uploadId } = z.object({ uploadId: z.string() }).parse(started.body)
  for (let offset = 0; offset < bytes.length; offset += partBytes) {
    const base64 = bytes.subarray(offset, offset + partBytes).toString('base64')
    const part = await rest('POST', `/platform/knowledge/uploads/${uploadId}`, { offset, base64 })
    expect(part.status).toBe(200)
  }
  return rest('POST', `/platform/knowledge/uploads/${uploadId}/finish`, {})
}

test('adds a text in parts, reads, searches and deletes it', async () => {
  const { rest } = await service()
  const text =
    'Returns\n\nA customer may return a damaged article within 30 days.\n\nCafé: open from 9 to 5.\n'
  const added = await upload(rest, 'policy.txt', Buffer.from(text), 'default', 20)
  expect(added.status).toBe(200)
  const file = KnowledgeFile.parse(added.body)
  expect(file).toMatchObject({
    ...{ workspaceId: 'default', agentId: 'default', name: 'policy.txt', kind: 'txt', detail: 'UTF-8' },
    ...{ nameFits: true, bytes: Buffer.byteLength(text), lines: 5, pages: null, rows: null, warnings: [] },
  })
  expect((await rest('GET', '/platform/knowledge')).body).toEqual([file])
  expect((await rest('GET', `/platform/knowledge/${file.fileId}`)).body).toEqual(file)

  const read = KnowledgeText.parse((await rest('GET', `/platform/knowledge/${file.fileId}/text`)).body)
  expect(read).toEqual({
    passages: [
      {
        index: 0,
        place: { unit: 'line', first: 1, last: 5 },
        text: 'Returns\nA customer may return a damaged article within 30 days.\nCafé: open from 9 to 5.',
      },
    ],
    total: 1,
    next: null,
  })

  const search = async (query: string) =>
    z
      .array(KnowledgeMatch)
      .parse((await rest('GET', `/platform/knowledge/search?query=${encodeURIComponent(query)}`)).body)
  const [match] = await search('CAFE damag')
  expect(match).toMatchObject({ fileId: file.fileId, name: 'policy.txt', index: 0 })
  expect(match?.snippet.filter(({ isMatch }) => isMatch).map(piece => piece.text)).toEqual([
    'damaged',
    'Café',
  ])
  expect(await search('unknown')).toEqual([])
  for (const syntax of ['"', 'a" OR scope:x*', 'NEAR(a b)', '^-+(){}:*', 'text : return'])
    expect(Array.isArray(await search(syntax)), syntax).toBe(true)

  expect((await rest('DELETE', `/platform/knowledge/${file.fileId}`)).body).toEqual({ deleted: 1 })
  expect((await rest('GET', '/platform/knowledge')).body).toEqual([])
  expect((await rest('GET', `/platform/knowledge/${file.fileId}`)).status).toBe(404)
  expect(await search('damaged')).toEqual([])
})
