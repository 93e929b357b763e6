import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type FileSystem, systemFiles } from '#main/lib/file-system.ts'
import type { Config } from '#main/storage/config.ts'
import { openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import { createRandom, type Random } from '../support/fuzz/random.ts'
import { newFolder, now, sealer, withBodyLimit, withVariable } from './config-fixtures.ts'

const cases = 200
/** Another one tries other damages: `DAMAGE_SEED=7 npx vitest run test/storage/config-damage.test.ts`. */
const seed = Number(process.env.DAMAGE_SEED ?? 42)

/** The real file system, which waits for no disk. */
const fs: FileSystem = {
  ...systemFiles,
  async open(...given) {
    const handle = await systemFiles.open(...given)
    handle.sync = handle.datasync = async () => {}
    return handle
  },
}

async function openIn(folder: string, time = now) {
  let due = async () => {}
  const clock = { now: time }
  const store = await openConfigStore({
    file: join(folder, 'config.json'),
    sealer,
    clock: () => clock.now,
    after(_delayMs, callback) {
      due = callback
      return () => {}
    },
    fs,
  })
  onTestFinished(() => store.close())
  const set = (number: number) => {
    clock.now += 60_000
    return store.update(config => ({
      next: withVariable(withBodyLimit(config, 2000 + number), `V${number % 3}`, `value ${number}`),
      result: null,
    }))
  }
  return { store, set, rest: () => due() }
}

type Image = {
  readonly name: string
  readonly folder: string
  readonly config: Config
  /** Journals of earlier times, of another folder, and of a copy that has gone another way. */
  readonly strangers: readonly Buffer[]
}

async function copyOf(folder: string, to: string): Promise<string> {
  await mkdir(to, { recursive: true })
  for (const name of await readdir(folder)) await copyFile(join(folder, name), join(to, name))
  return to
}

/** Makes folders as a kill or a stop leaves them. */
async function makeImages(root: string): Promise<Image[]> {
  const images: Image[] = []
  const strangers: Buffer[] = []
  const addJournals = async (of: string) => {
    for (const file of await journalsIn(of)) strangers.push(await readFile(join(of, file)))
  }
  const changeElsewhere = async (elsewhere: string, from: number) => {
    const { set } = await openIn(elsewhere)
    for (let number = from; number < from + 6; number++) await set(number)
    await addJournals(elsewhere)
  }
  const folder = join(root, 'live')
  await mkdir(folder)
  await mkdir(join(root, 'other'))
  await changeElsewhere(join(root, 'other'), 30)
  let { store, set, rest } = await openIn(folder)
  const keep = async (name: string) => {
    const copy = await copyOf(folder, join(root, name))
    images.push({ name, folder: copy, config: store.snapshot(), strangers: [...strangers] })
    await addJournals(copy)
  }
  await keep('new')
  for (let number = 0; number < 5; number++) await set(number)
  await keep('five changes in a journal')
  await changeElsewhere(await copyOf(folder, join(root, 'fork')), 20)
  await rest()
  await set(5)
  await keep('a file, and a journal')
  await rest()
  await Promise.all([6, 7, 8].map(set))
  await keep('a file, a journal of its copy, and one of changes at once')
  await store.close()
  await keep('stopped')
  ;({ store, set, rest } = await openIn(folder))
  for (let number = 9; number < 13; number++) await set(number)
  await keep('started again')
  ;({ store, set, rest } = await openIn(folder))
  await set(13)
  await keep('killed twice')
  await writeFile(join(folder, (await journalsIn(folder)).at(-1) ?? ''), '{"follows":"', { flag: 'a' })
  await keep('killed while it wrote a line')
  return images
}

const journalsIn = async (folder: string) =>
  (await readdir(folder)).filter(name => /\.journal-\d+$/.test(name)).sort()

type Damage = (lines: Buffer[], random: Random, strangers: readonly Buffer[]) => Buffer | null

/** Lines with their ends. */
function linesOf(bytes: Buffer): Buffer[] {
  return bytes
    .toString('latin1')
    .split(/(?<=\n)/)
    .map(line => Buffer.from(line, 'latin1'))
}

const damages: Readonly<Record<string, Damage>> = {
  emptied: () => Buffer.alloc(0),
  removed: () => null,
  'without a line': (lines, random) => Buffer.concat(lines.toSpliced(random.int(lines.length), 1)),
  'without some lines': (lines, random) =>
    Buffer.concat(lines.toSpliced(random.int(lines.length), 1 + random.int(lines.length))),
  'without its last lines': (lines, random) => Buffer.concat(lines.slice(0, random.int(lines.length))),
  'with two lines swapped'(lines, random) {
    const [one, other] = [random.int(lines.length), random.int(lines.length)]
    return Buffer.concat(lines.with(one, lines[other]!).with(other, lines[one]!))
  },
  'with a line twice'(lines, random) {
    const line = lines[random.int(lines.length)]!
    return Buffer.concat(lines.toSpliced(random.int(lines.length + 1), 0, line))
  },
  'with a bit flipped': flipped,
  'with another bit flipped': flipped,
  'cut off'(lines, random) {
    const bytes = Buffer.concat(lines)
    return bytes.subarray(0, random.int(bytes.length + 1))
  },
  'of another folder or time': (_lines, random, strangers) => strangers[random.int(strangers.length)]!,
  'with a line of another folder or time'(lines, random, strangers) {
    const others = linesOf(strangers[random.int(strangers.length)]!)
    const line = others[random.int(others.length)]!
    return Buffer.concat(lines.toSpliced(random.int(lines.length + 1), random.int(2), line))
  },
}

function flipped(lines: Buffer[], random: Random): Buffer {
  const bytes = Buffer.concat(lines)
  if (bytes.length === 0) return bytes
  const at = random.int(bytes.length)
  bytes[at] = bytes[at]! ^ (1 << random.int(8))
  return bytes
}

/** Returns what is wrong with a start; null if all is there, or the operator is told. */
async function faultOf(folder: string, config: Config): Promise<string | null> {
  try {
    const { store } = await openIn(folder, now + 86_400_000)
    const isSame = isDeepStrictEqual(store.snapshot(), config)
    await store.close()
    if (store.losses.length === 0) return isSame ? null : 'a change is missing, and nobody is told'
    const { store: again } = await openIn(folder)
    await again.close()
    return again.losses.length > 0 ? `told again at the next start: ${again.losses[0]}` : null
  } catch (error) {
    if (error instanceof ServiceError) return null
    throw error
  }
}

describe(`a configuration (damages of seed ${seed})`, () => {
  test('that is not damaged opens without a notice', async () => {
    const root = await newFolder()
    const images = await makeImages(root)
    for (const { name, folder, config } of images) {
      const { store } = await openIn(await copyOf(folder, join(root, 'copy')))
      expect(store.losses, name).toEqual([])
      expect(store.snapshot(), name).toEqual(config)
      await store.close()
      await rm(join(root, 'copy'), { recursive: true })
    }
  })

  test(`loses no change without a notice in ${cases} damages`, async () => {
    const root = await newFolder()
    const images = await makeImages(root)
    const random = createRandom(seed)
    const kinds = Object.entries(damages)
    const wrong: string[] = []
    for (let number = 0; number < cases; number++) {
      const image = images[random.int(images.length)]!
      const [kind, damage] = kinds[number % kinds.length]!
      const folder = await copyOf(image.folder, join(root, `case ${number}`))
      const journals = await journalsIn(folder)
      const targets = ['config.json', 'config.json.bak', ...journals, ...journals, ...journals]
      const target = join(folder, targets[random.int(targets.length)]!)
      const before = await readFile(target).catch(() => Buffer.alloc(0))
      const after = damage(linesOf(before), random, image.strangers)
      if (after === null) await rm(target, { force: true })
      else await writeFile(target, after)
      const fault = await faultOf(folder, image.config)
      if (fault !== null)
        wrong.push(`${number}, ${image.name}: ${target.slice(folder.length)} ${kind}: ${fault}`)
      await rm(folder, { recursive: true })
    }
    expect(wrong).toEqual([])
  })
})
