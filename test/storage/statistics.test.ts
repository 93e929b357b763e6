import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { jsonFile } from '#main/storage/document.ts'
import { createStatisticsStore } from '#main/storage/local/statistics.ts'
import { describeStatisticsStore, savedCounts } from './statistics-contract.ts'

const onError = (error: unknown) => {
  throw error
}

describeStatisticsStore('The statistics of one process', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cc-statistics-'))
  const open = async () => createStatisticsStore(jsonFile(join(folder, 'statistics.json')), onError, onError)
  const statistics = await open()
  return {
    handles: [statistics, statistics],
    reopen: open,
    dispose: () => rm(folder, { recursive: true, force: true }),
  }
})

describe('The file of the statistics', () => {
  async function inFolder(text?: string) {
    const folder = await mkdtemp(join(tmpdir(), 'cc-statistics-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'statistics.json')
    if (text !== undefined) await writeFile(file, text)
    const problems: string[] = []
    const store = createStatisticsStore(jsonFile(file), problem => problems.push(problem), onError)
    return { folder, file, problems, store }
  }
  const counts = {
    since: () => 1000,
    connectionIds: () => ['conn_1'],
    countsOf: () => savedCounts(1),
  }

  test('is read by the service alone, in the format of earlier versions', async () => {
    const { file, store } = await inFolder()
    await store.save('a', counts, new Set(['conn_1']))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      version: 1,
      since: 1000,
      connections: [{ connectionId: 'conn_1', ...savedCounts(1) }],
    })
  })

  test('may be missing; if it is damaged, counting begins again, with a notice', async () => {
    const nothing = { since: null, connections: new Map() }
    const missing = await inFolder()
    expect(await missing.store.load('a')).toEqual(nothing)
    expect(missing.problems).toEqual([])
    for (const text of ['', '{', '[]', '{"version":1,"since":1,"connections":[{}]}']) {
      const { store, problems, file } = await inFolder(text)
      expect(await store.load('a'), text).toEqual(nothing)
      expect(problems).toEqual([expect.stringContaining(`were reset, because ${file} cannot be used`)])
    }
  })

  test('that cannot be written is named in the error', async () => {
    const { store, folder, file } = await inFolder()
    await rm(folder, { recursive: true })
    await expect(store.save('a', counts, new Set(['conn_1']))).rejects.toThrow(
      `The statistics could not be written to ${file}`,
    )
  })
})
