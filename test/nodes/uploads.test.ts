import { expect } from 'vitest'
import { z } from 'zod'
import { KnowledgeFile } from '#shared/model/platform/knowledge.ts'
import { openTwoNodes, sharedNodes, test } from './open-nodes.ts'

const takeNodes = sharedNodes()

const Started = z.object({ uploadId: z.string() })

test('an upload that one node begins is continued on another, and finished on the first', async () => {
  const [a, b] = await takeNodes()
  const bytes = Buffer.from('Returns\n\nA customer may return a damaged article.\n')
  const start = await a.rest('POST', '/platform/knowledge/uploads', { name: 'a.txt', bytes: bytes.length })
  const path = `/platform/knowledge/uploads/${Started.parse(start.body).uploadId}`
  const part = (from: number, to: number) => bytes.subarray(from, to).toString('base64')
  expect((await a.rest('POST', path, { offset: 0, base64: part(0, 20) })).body).toEqual({ bytes: 20 })
  // The answer may have been lost with its node.
  expect((await b.rest('POST', path, { offset: 0, base64: part(0, 20) })).body).toEqual({ bytes: 20 })
  expect(await b.rest('POST', path, { offset: 0, base64: part(1, 21) })).toMatchObject({ status: 400 })
  expect((await b.rest('POST', path, { offset: 20, base64: part(20, 99) })).body).toEqual({
    bytes: bytes.length,
  })
  const before = b.service.knowledge.changes.count()
  const finished = await a.rest('POST', `${path}/finish`, {})
  const file = KnowledgeFile.parse(finished.body)
  expect(file).toMatchObject({ name: 'a.txt', bytes: bytes.length })
  await expect.poll(() => b.service.knowledge.changes.count()).toBeGreaterThan(before)
  const found = await b.rest('GET', '/platform/knowledge/search?query=damaged')
  expect(found.body).toMatchObject([{ fileId: file.fileId }])
  expect((await b.rest('POST', `${path}/finish`, {})).body).toMatchObject({ code: 'upload_not_found' })
})

test('an upload outlives the node on which it began', async () => {
  const [a, b] = await openTwoNodes()
  const start = await a.rest('POST', '/platform/knowledge/uploads', { name: 'a.txt', bytes: 2 })
  const path = `/platform/knowledge/uploads/${Started.parse(start.body).uploadId}`
  await a.rest('POST', path, { offset: 0, base64: Buffer.from('a').toString('base64') })
  await a.stop()
  await b.rest('POST', path, { offset: 1, base64: Buffer.from('b').toString('base64') })
  expect(await b.rest('POST', `${path}/finish`, {})).toMatchObject({ status: 200, body: { bytes: 2 } })
})
