import { execFile } from 'node:child_process'
import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blockBytes, readTar, readTarHeader, writeTar, writeTarHeader } from '#main/backup/tar.ts'
import { newFolder } from '../storage/config-fixtures.ts'
import { missingOf, titled } from '../support/has-program.ts'

const run = promisify(execFile)
const modifiedAt = Date.parse('2026-11-21T09:30:00.000Z')

type Content = { readonly name: string; readonly bytes: Buffer }
const file = ({ name, bytes }: Content) => ({ name, size: bytes.length, content: () => inPieces(bytes, 700) })

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const tarOf = (...contents: Content[]) => buffer(writeTar(contents.map(file), modifiedAt))

async function entriesOf(archive: Buffer, piece = 1000): Promise<Content[]> {
  const entries: Content[] = []
  for await (const { name, content } of readTar(inPieces(archive, piece)))
    entries.push({ name, bytes: await buffer(content) })
  return entries
}

/** The block with its field changed and its checksum right again. */
function changed(header: Buffer, offset: number, text: string): Buffer {
  const block = Buffer.from(header)
  block.write(text, offset, 'latin1')
  block.write('        ', 148, 'latin1')
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return block
}

describe('an archive', () => {
  it('returns what was put in, however the stream is cut', async () => {
    const content = fc.record({
      name: fc.stringMatching(/^[a-z.]{1,100}$/),
      bytes: fc.uint8Array({ maxLength: 1600 }).map(bytes => Buffer.from(bytes)),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(content, { maxLength: 4 }),
        fc.integer({ min: 1, max: 5000 }),
        async (contents, piece) => {
          expect(await entriesOf(await tarOf(...contents), piece)).toEqual(contents)
        },
      ),
      { numRuns: 50 },
    )
  })

  it('refuses a content that does not have its announced size', async () => {
    const short = { name: 'a', size: 11, content: () => inPieces(Buffer.alloc(10), 3) }
    await expect(buffer(writeTar([short], modifiedAt))).rejects.toThrow('a does not have the 11 bytes')
    const long = { ...short, size: 9 }
    await expect(buffer(writeTar([long], modifiedAt))).rejects.toThrow('a does not have the 9 bytes')
  })

  it.each(['', 'ä', 'a b', 'x'.repeat(101), 'a\0b'])('refuses a file with the name %j', name => {
    expect(() => writeTarHeader({ name, size: 0 }, modifiedAt)).toThrow(RangeError)
  })

  it.each([0, 1, 8 ** 11 - 1, 8 ** 11, 2 ** 45, Number.MAX_SAFE_INTEGER])('has a size of %i', size => {
    const header = writeTarHeader({ name: 'events.sqlite', size }, modifiedAt)
    expect(readTarHeader(header)).toEqual({ name: 'events.sqlite', size })
  })
})

describe('an archive with anything but regular files is refused', () => {
  const header = writeTarHeader({ name: 'a', size: 0 }, modifiedAt)
  const end = Buffer.alloc(2 * blockBytes)

  it.each([
    { what: 'nothing', bytes: Buffer.alloc(0), says: 'truncated' },
    { what: 'half a header', bytes: header.subarray(0, 300), says: 'truncated' },
    { what: 'no end', bytes: header, says: 'truncated' },
    { what: 'half an end', bytes: Buffer.concat([header, end.subarray(0, blockBytes)]), says: 'truncated' },
    { what: 'text', bytes: Buffer.alloc(2048, 'x'), says: 'not a tar archive' },
    { what: 'a wrong checksum', bytes: Buffer.from(header).fill('b', 0, 1), says: 'not a tar archive' },
    { what: 'a symbolic link', bytes: changed(header, 156, '2'), says: 'not a regular file' },
    { what: 'a hard link', bytes: changed(header, 156, '1'), says: 'not a regular file' },
    { what: 'a folder', bytes: changed(header, 156, '5'), says: 'not a regular file' },
    { what: 'a device', bytes: changed(header, 156, '3'), says: 'not a regular file' },
    { what: 'an extended header', bytes: changed(header, 156, 'x'), says: 'not a regular file' },
    { what: 'a prefix', bytes: changed(header, 345, '/etc'), says: 'is in a folder' },
    { what: 'no size', bytes: changed(header, 124, 'lots of it.'), says: 'has no size' },
    {
      what: 'a size beyond 2^53',
      bytes: changed(header, 124, '\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff'),
      says: 'has no size',
    },
    {
      what: 'more after the end',
      bytes: Buffer.concat([header, end, Buffer.from('x')]),
      says: 'after its end',
    },
    {
      what: 'one block of an end',
      bytes: Buffer.concat([end.subarray(0, blockBytes), header]),
      says: 'end of the archive',
    },
  ])('$what', async ({ bytes, says }) => {
    await expect(entriesOf(bytes)).rejects.toMatchObject({
      code: 'damaged_backup',
      message: expect.stringContaining(says),
    })
  })
})

const contents = [
  { name: 'manifest.json', bytes: Buffer.from('{}') },
  { name: 'events.sqlite', bytes: Buffer.alloc(5000, 'é\n') },
]
const large = 9 * 2 ** 30

/** An archive with a file of 9 GiB, most of which is a hole in it. */
async function sparseArchive(folder: string): Promise<string> {
  const path = join(folder, 'large.tar')
  const archive = await open(path, 'wx')
  await archive.write(writeTarHeader({ name: 'large', size: large }, modifiedAt))
  await archive.truncate(blockBytes + large + 2 * blockBytes)
  await archive.close()
  return path
}

const withoutTar = missingOf('tar')
describe.skipIf(withoutTar.length > 0)(titled('the system’s tar', withoutTar), () => {
  it('unpacks our archive and reads a size beyond 8 GiB', async () => {
    const folder = await newFolder()
    const path = join(folder, 'archive.tar')
    await writeFile(path, await tarOf(...contents))
    await run('tar', ['-xf', path, '-C', folder])
    for (const { name, bytes } of contents) expect(await readFile(join(folder, name))).toEqual(bytes)
    const { stdout } = await run('tar', ['-tvf', await sparseArchive(folder)])
    expect(stdout).toMatch(new RegExp(`^-rw-------.* ${large} .*2026.* large\n$`))
  })

  it('writes ustar archives that we can read', async () => {
    const folder = await newFolder()
    for (const { name, bytes } of contents) await writeFile(join(folder, name), bytes)
    const path = join(folder, 'archive.tar')
    await run('tar', ['--format=ustar', '-cf', path, '-C', folder, ...contents.map(({ name }) => name)])
    expect(await entriesOf(await readFile(path))).toEqual(contents)
  })
})

const withoutPython = missingOf('python3')
describe.skipIf(withoutPython.length > 0)(titled('Python’s tarfile', withoutPython), () => {
  const list = `
import json, sys, tarfile
with tarfile.open(sys.argv[1]) as archive:
    print(json.dumps([[m.name, m.size, oct(m.mode), m.mtime, m.isreg()] for m in archive]))
`
  it('lists our archive and reads a size beyond 8 GiB', async () => {
    const folder = await newFolder()
    const path = join(folder, 'archive.tar')
    await writeFile(path, await tarOf(...contents))
    const listed = async (archive: string): Promise<unknown> =>
      JSON.parse((await run('python3', ['-c', list, archive])).stdout)
    const facts = ['0o600', modifiedAt / 1000, true]
    expect(await listed(path)).toEqual(contents.map(({ name, bytes }) => [name, bytes.length, ...facts]))
    expect(await listed(await sparseArchive(folder))).toEqual([['large', large, ...facts]])
  })
})
