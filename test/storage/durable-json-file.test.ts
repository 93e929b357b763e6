import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { link, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type FileSystem, systemFiles } from '#main/lib/file-system.ts'
import { createDurableFile, DamagedContent, parseJson } from '#main/storage/local/durable-json-file.ts'
import { faultyFiles } from './config-faults.ts'
import { filesIn, newFolder, now } from './config-fixtures.ts'

type Counted = { count: number }

function decode(raw: unknown): Counted {
  if (typeof raw === 'object' && raw !== null && 'count' in raw && typeof raw.count === 'number') {
    return { count: raw.count }
  }
  throw new DamagedContent('count: it must be a number')
}

const open = (folder: string, fs?: FileSystem) =>
  createDurableFile<Counted>({
    path: join(folder, 'config.json'),
    decode: bytes => decode(parseJson(bytes)),
    encode: data => JSON.stringify(data),
    clock: () => now,
    fs,
  })

const damaged: [what: string, content: string | Buffer, problem: string][] = [
  ['empty', '', 'it is empty'],
  ['blank', ' \n\0'.slice(0, 2), 'it is empty'],
  ['truncated', '{"count": 1', 'it is not valid JSON'],
  ['zeroed by a crash', Buffer.alloc(64), 'it is not valid JSON'],
  ['not UTF-8', Buffer.from('{"count": 1, "x": "\xe9"}', 'latin1'), 'it is not UTF-8 text'],
  ['UTF-16', Buffer.from('\ufeff{"count": 1}', 'utf16le'), 'it is not UTF-8 text'],
  ['null', 'null', 'count: it must be a number'],
  ['an array', '[]', 'count: it must be a number'],
  ['of the wrong shape', '{"count": "1"}', 'count: it must be a number'],
]

describe('reading', () => {
  test('returns null for a missing file, and writes nothing', async () => {
    const folder = await newFolder()
    expect(await open(folder).read()).toBeNull()
    expect(await readdir(folder)).toEqual([])
  })

  test('accepts a BOM', async () => {
    const folder = await newFolder()
    await writeFile(join(folder, 'config.json'), '\ufeff{"count": 7}')
    expect(await open(folder).read()).toEqual({ count: 7 })
  })

  test.for(damaged)(
    'sets a file that is %s aside, and uses the last good copy',
    async ([, content, problem]) => {
      const folder = await newFolder()
      await writeFile(join(folder, 'config.json'), content)
      await writeFile(join(folder, 'config.json.bak'), '{"count": 5}')
      const file = open(folder)
      expect(await file.read()).toEqual({ count: 5 })
      expect(file.notices).toEqual([expect.stringContaining(problem)])
      const aside = 'config.json.damaged-2026-11-21T09-30-00.000Z'
      expect(file.notices[0]).toContain(aside)
      expect(await readFile(join(folder, aside))).toEqual(Buffer.from(content))
      const again = open(folder)
      expect(await again.read()).toEqual({ count: 5 })
      expect(again.notices).toEqual([])
    },
  )

  test('uses the copy once more if the file that it has replaced is damaged in place', async () => {
    const folder = await newFolder()
    await writeFile(join(folder, 'config.json.bak'), '{"count": 5}')
    for (let round = 0; round < 2; round++) {
      await writeFile(join(folder, 'config.json'), '{"count"')
      expect(await open(folder).read()).toEqual({ count: 5 })
    }
  })

  test.for(damaged)(
    'leaves a file that is %s unchanged if the copy is unusable too',
    async ([, content, problem]) => {
      for (const copy of [null, '{', content]) {
        const folder = await newFolder()
        await writeFile(join(folder, 'config.json'), content)
        if (copy !== null) await writeFile(join(folder, 'config.json.bak'), copy)
        const before = await filesIn(folder)
        await expect(open(folder).read()).rejects.toMatchObject({
          code: 'damaged_configuration',
          message: expect.stringContaining(problem),
        })
        expect(await filesIn(folder)).toEqual(before)
      }
    },
  )

  test.for<[string, string]>([
    ['{"count": whsec_canary}', "Unexpected token 'w' near line 1)"],
    [
      `{"name": "${'x'.repeat(200)}",\n\n"count": whsec_canary, "other": 1}`,
      "Unexpected token 'w' near line 3)",
    ],
    ['{"secret": "whsec_canary" 1}', 'at position 26'],
    ['{"secret": "whsec_canary', 'Unterminated string in JSON'],
    ['{"secret": "whsec_canary",', 'at position 26'],
  ])('of %j the problem is told without a quotation', async ([content, problem]) => {
    const folder = await newFolder()
    await writeFile(join(folder, 'config.json'), content)
    const error: unknown = await open(folder)
      .read()
      .catch(caught => caught)
    expect(error).toMatchObject({ code: 'damaged_configuration', message: expect.stringContaining(problem) })
    expect(String(error)).not.toContain('whsec')
  })

  test('keeps two damaged files of the same millisecond', async () => {
    const folder = await newFolder()
    await writeFile(join(folder, 'config.json.bak'), '{"count": 5}')
    for (const content of ['first', 'second']) {
      await rm(join(folder, 'config.json'), { force: true })
      await writeFile(join(folder, 'config.json'), content)
      await open(folder).read()
    }
    const name = 'config.json.damaged-2026-11-21T09-30-00.000Z'
    expect(await readFile(join(folder, name), 'utf8')).toBe('first')
    expect(await readFile(join(folder, `${name}-2`), 'utf8')).toBe('second')
  })

  test('restores a missing file from its copy', async () => {
    const folder = await newFolder()
    await writeFile(join(folder, 'config.json.bak'), '{"count": 5}')
    const file = open(folder)
    expect(await file.read()).toEqual({ count: 5 })
    expect(file.notices).toEqual([expect.stringContaining('it is missing')])
    expect(await readFile(join(folder, 'config.json'), 'utf8')).toBe('{"count": 5}')
  })

  test('a missing file with a damaged copy stops the start', async () => {
    const folder = await newFolder()
    await writeFile(join(folder, 'config.json.bak'), '{')
    await expect(open(folder).read()).rejects.toMatchObject({ code: 'damaged_configuration' })
    expect(await readdir(folder)).toEqual(['config.json.bak'])
  })

  test('does not treat a folder in its place as damage', async () => {
    const folder = await newFolder()
    await mkdir(join(folder, 'config.json'))
    await writeFile(join(folder, 'config.json.bak'), '{"count": 5}')
    await expect(open(folder).read()).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(await readdir(folder)).toEqual(['config.json', 'config.json.bak'])
  })

  test.for(['EACCES', 'EIO', 'EPERM', 'EMFILE'])('does not treat %s as damage', async code => {
    const folder = await newFolder()
    await writeFile(join(folder, 'config.json'), '{"count": 6}')
    await writeFile(join(folder, 'config.json.bak'), '{"count": 5}')
    const before = await filesIn(folder)
    const readFails: FileSystem = {
      ...systemFiles,
      readFile: () => Promise.reject(Object.assign(new Error(`${code}: no`), { code })),
    }
    await expect(open(folder, readFails).read()).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining(code),
    })
    expect(await filesIn(folder)).toEqual(before)
  })

  test('loses nothing if the disk fails while the copy is restored', async () => {
    const faulty = faultyFiles()
    for (let step = 1; ; step += 1) {
      const folder = await newFolder()
      await writeFile(join(folder, 'config.json'), '{')
      await writeFile(join(folder, 'config.json.bak'), '{"count": 5}')
      faulty.failAt(step, true)
      const failed = await open(folder, faulty.fs)
        .read()
        .then(
          () => false,
          () => true,
        )
      expect(await open(folder).read()).toEqual({ count: 5 })
      const contents = (await filesIn(folder)).map(file => file.bytes.toString())
      expect(contents).toContain('{')
      if (!failed) break
      expect(step).toBeLessThan(20)
    }
  })
})

describe('writing', () => {
  test('keeps the earlier content as the copy, both with mode 0600', async () => {
    const folder = await newFolder()
    const file = open(folder)
    await file.write({ count: 1 })
    expect(await readdir(folder)).toEqual(['config.json'])
    await file.write({ count: 2 })
    const files = await filesIn(folder)
    expect(files.map(({ name, bytes }) => [name, JSON.parse(bytes.toString())])).toEqual([
      ['config.json', { count: 2 }],
      ['config.json.bak', { count: 1 }],
    ])
    if (process.platform !== 'win32') expect(files.map(({ mode }) => mode)).toEqual([0o600, 0o600])
  })

  test('ignores the leftovers of a killed write', async () => {
    const folder = await newFolder()
    const file = open(folder)
    await file.write({ count: 1 })
    await writeFile(join(folder, 'config.json.tmp'), '{"count', { mode: 0o644 })
    await link(join(folder, 'config.json'), join(folder, 'config.json.bak.tmp'))
    await file.write({ count: 2 })
    expect((await filesIn(folder)).map(({ name, mode }) => [name, mode.toString(8)])).toEqual([
      ['config.json', '600'],
      ['config.json.bak', '600'],
    ])
  })

  test('completes the write after a failed one', async () => {
    const folder = await newFolder()
    const faulty = faultyFiles()
    const file = open(folder, faulty.fs)
    faulty.failAt(1)
    await expect(file.write({ count: 1 })).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining('EIO'),
    })
    await file.write({ count: 2 })
    expect(await file.read()).toEqual({ count: 2 })
  })

  test('does not depend on the times of files', async () => {
    const folder = await newFolder()
    const file = open(folder)
    await file.write({ count: 1 })
    await utimes(join(folder, 'config.json'), 0, 0)
    await file.write({ count: 2 })
    expect((await stat(join(folder, 'config.json.bak'))).mtimeMs).toBe(0)
    expect(await file.read()).toEqual({ count: 2 })
  })
})

test('kill -9 at any moment leaves a whole file with all that was acknowledged', async () => {
  const folder = await newFolder()
  const path = join(folder, 'config.json')
  for (let round = 0; round < 12; round += 1) {
    const acknowledged = await countUntilKilled(path, 1 + Math.floor(Math.random() * 80))
    const file = createDurableFile<number>({
      path,
      decode: bytes => Number(parseJson(bytes)),
      encode: String,
      clock: () => now,
    })
    expect(await file.read()).toBeGreaterThanOrEqual(acknowledged)
    expect(file.notices).toEqual([])
  }
})

/** @returns the last number that the writer, killed after it had said `lines` of them, called durable. */
async function countUntilKilled(path: string, lines: number): Promise<number> {
  const writer = spawn(process.execPath, [join(import.meta.dirname, 'durable-writer.ts'), path])
  let said = ''
  writer.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.split('\n').length > lines) writer.kill('SIGKILL')
  })
  let complaint = ''
  writer.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  await once(writer, 'close')
  expect(complaint).toBe('')
  return Number(said.trimEnd().split('\n').at(-1))
}
