import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { KnowledgeFile, KnowledgeMatch, KnowledgeText } from '#shared/model/platform/knowledge.ts'
import { addFile } from '../support/add-file.ts'
import { type ServiceFixture, startService } from '../support/service-fixture.ts'

const pageSize = 4096
const sections = 400
const text = Array.from(
  { length: sections },
  (_, n) => `Section ${n}. ${'The warehouse ships parcels on working days. '.repeat(4)} code-${n}`,
).join('\n\n')

async function startWithFile(): Promise<ServiceFixture> {
  const fixture = await startService()
  await addFile(fixture, 'policy.txt', text)
  return fixture
}

/** Changes the database while the service is stopped. */
async function damage(fixture: ServiceFixture, act: (file: string) => void): Promise<void> {
  await fixture.stop()
  act(join(fixture.dataFolder, 'knowledge.sqlite'))
  await fixture.restart()
}

/** Zeroes a leaf of a table, from its middle. */
function zeroLeafOf(table: string) {
  return (file: string) => {
    const database = new DatabaseSync(file)
    const pages = database
      .prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path")
      .all(table)
    database.close()
    const at = (Number(pages[Math.floor(pages.length / 2)]?.pageno) - 1) * pageSize
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0, at, at + pageSize))
  }
}

function change(sql: string) {
  return (file: string) => {
    const database = new DatabaseSync(file)
    expect(database.prepare(sql).run().changes).toBe(1)
    database.close()
  }
}

async function onlyFile({ rest }: ServiceFixture): Promise<KnowledgeFile> {
  const [file] = z.array(KnowledgeFile).parse((await rest('GET', '/platform/knowledge')).body)
  if (file === undefined) throw new Error('The file is gone.')
  return file
}

async function readable({ rest }: ServiceFixture, { fileId }: KnowledgeFile): Promise<string> {
  const texts: string[] = []
  for (let from: number | null = 0; from !== null; ) {
    const { body } = await rest('GET', `/platform/knowledge/${fileId}/text?from=${from}&limit=50`)
    const part: KnowledgeText = KnowledgeText.parse(body)
    texts.push(...part.passages.map(passage => passage.text))
    from = part.next
  }
  return texts.join('\n')
}

const codesIn = (found: string) => found.match(/code-\d+/g) ?? []

test.each([
  ['a page of its passages', zeroLeafOf('passages')],
  ['a page of their texts', zeroLeafOf('passage_texts_content')],
  ['a page of the search index', zeroLeafOf('passage_texts_data')],
  ['what is stored about it is no longer JSON', change('UPDATE files SET file = substr(file, 2)')],
  [
    'what is stored about it has another kind',
    change('UPDATE files SET file = replace(file, \'"txt"\', \'"tyt"\')'),
  ],
])('a file is whole again after damage, read from its stored bytes: %s', async (_, act) => {
  const fixture = await startWithFile()
  const before = await onlyFile(fixture)
  await damage(fixture, act)
  await expect.poll(() => onlyFile(fixture)).toEqual(before)
  expect(codesIn(await readable(fixture, before))).toHaveLength(sections)
  for (const n of [0, 150, 200, 399]) {
    const { body } = await fixture.rest('GET', `/platform/knowledge/search?query=code-${n}`)
    expect(z.array(KnowledgeMatch).parse(body)[0]?.text).toContain(`code-${n}`)
  }
  const { notices } = z
    .object({ notices: z.array(z.string()) })
    .parse((await fixture.rest('GET', '/service')).body)
  expect(notices).toEqual([expect.stringContaining('damaged')])
  expect(fixture.log.text()).toContain('damaged_data')
})

test('a file keeps what can be read, with a warning, if its bytes are damaged too', async () => {
  const fixture = await startWithFile()
  const before = await onlyFile(fixture)
  await damage(fixture, file => {
    zeroLeafOf('passage_texts_content')(file)
    change('UPDATE contents SET bytes = zeroblob(length(bytes)) WHERE piece = 0')(file)
  })
  const after = await onlyFile(fixture)
  expect(after.warnings).toEqual([{ code: 'text_lost', message: 'A part of its text was lost on the disk' }])
  const codes = codesIn(await readable(fixture, before))
  expect(codes.length).toBeGreaterThan(sections / 2)
  expect(codes.length).toBeLessThan(sections)
  await fixture.restart()
  expect(await onlyFile(fixture)).toEqual(after)
})
