import { readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { jsonFile } from '#main/storage/document.ts'
import { newFolder } from './config-fixtures.ts'

const newDocument = async () => jsonFile(join(await newFolder(), 'document.json'))

it('returns null for a document that does not exist or was removed', async () => {
  const document = await newDocument()
  expect(await document.read()).toBeNull()
  await document.write({ a: 1 })
  await document.remove()
  await document.remove()
  expect(await document.read()).toBeNull()
})

it('keeps the last of several writes in one private file', async () => {
  const document = await newDocument()
  await Promise.all(Array.from({ length: 10 }, (_, n) => document.write({ n })))
  expect(await document.read()).toEqual({ n: 9 })
  expect(await readdir(dirname(document.location))).toEqual(['document.json'])
  if (process.platform !== 'win32') expect((await stat(document.location)).mode & 0o777).toBe(0o600)
})

it('writes the value of the time of the call', async () => {
  const document = await newDocument()
  const value = { n: 1 }
  const written = document.write(value)
  value.n = 2
  await written
  expect(await document.read()).toEqual({ n: 1 })
})

it('throws for a file that is not JSON, and does not change it', async () => {
  const document = await newDocument()
  await writeFile(document.location, '{"n":')
  await expect(document.read()).rejects.toThrow(SyntaxError)
})
