/**
 * Damaged places of the databases: in each of them, blocks are zeroed and bits flipped at many offsets, and the service
 * started on it. Every read must answer, or say with a code which data is damaged; nothing may be missing without a
 * notice; events must be accepted, and the damaged file must be kept.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { createRandom, type Random } from '../support/fuzz/random.ts'
import { openService, postInbound, type ServiceFixture } from '../support/service-fixture.ts'
import { type FullFolder, fillFolder } from './support/full-folder.ts'

const databases = ['events.sqlite', 'events.sqlite.index', 'history.sqlite', 'knowledge.sqlite'] as const
const blockBytes = 4096

export type BlockResult = {
  readonly variants: number
  /** Variants in which the damage was found, and those in which records were lost with a notice. */
  readonly noticed: number
  readonly lost: number
  /** Variants in which only a stored value has changed: the databases have no checksums. */
  readonly changed: number
  readonly wrong: readonly string[]
}

const damages: Readonly<Record<string, (bytes: Buffer, random: Random) => number>> = {
  'a zeroed block': (bytes, random) => {
    const at = random.int(bytes.length / blockBytes) * blockBytes
    bytes.fill(0, at, at + blockBytes)
    return at
  },
  'a flipped bit': (bytes, random) => {
    const at = random.int(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.int(8))
    return at
  },
}

/** @param each how many places of each kind are damaged in each database. */
export async function run({ seed = Date.now(), each = 40 } = {}): Promise<BlockResult> {
  const random = createRandom(seed)
  const fixture = await openService()
  const original = mkdtempSync(join(tmpdir(), 'custom-connection-bench-'))
  const counts = { variants: 0, noticed: 0, lost: 0, changed: 0 }
  const wrong: string[] = []
  try {
    const full = await fillFolder(fixture)
    const before = await readAll(fixture, full)
    await fixture.stop()
    cpSync(fixture.dataFolder, original, { recursive: true })
    for (const file of databases)
      for (const [name, apply] of Object.entries(damages))
        for (let count = 0; count < each; count++) {
          const bytes = readFileSync(join(original, file))
          const at = apply(bytes, random)
          fixture.log.lines.length = 0
          emptyFolder(fixture.dataFolder)
          cpSync(original, fixture.dataFolder, { recursive: true })
          writeFileSync(join(fixture.dataFolder, file), bytes)
          const outcome = await tryDamaged(fixture, full, before, { file, bytes })
          counts.variants++
          if (outcome.isNoticed) counts.noticed++
          if (outcome.isLost) counts.lost++
          if (outcome.isChanged) counts.changed++
          for (const fault of outcome.faults) wrong.push(`${file}, ${name} at ${at}: ${fault}`)
        }
  } finally {
    await fixture.close()
    rmSync(original, { recursive: true })
  }
  console.log(`seed ${seed}`)
  console.log(
    `${counts.variants} damaged places   ${counts.noticed} noticed, ${counts.lost} with lost records, ${counts.changed} with a changed value`,
  )
  console.log(`refused, or lost without a notice   ${wrong.length}   target: 0`)
  for (const one of wrong) console.log(`  ${one}`)
  return { ...counts, wrong }
}

type Answers = ReadonlyMap<string, { readonly status: number; readonly text: string }>

async function readAll({ rest }: ServiceFixture, { reads }: FullFolder): Promise<Answers> {
  const answers = new Map<string, { status: number; text: string }>()
  for (const path of reads) answers.set(path, await rest('GET', path))
  return answers
}

async function tryDamaged(
  fixture: ServiceFixture,
  full: FullFolder,
  before: Answers,
  damaged: { readonly file: (typeof databases)[number]; readonly bytes: Buffer },
) {
  const faults: string[] = []
  try {
    await fixture.restart()
  } catch (error) {
    return { faults: [`it did not start: ${error}`], isNoticed: false, isLost: false, isChanged: false }
  }
  try {
    // Twice, because the first read of damage may repair it.
    const answers = [await readAll(fixture, full), await readAll(fixture, full)]
    const status = await accepted(fixture, full)
    if (status !== 200) faults.push(`an event got ${status}`)
    const { notices } = z
      .object({ notices: z.array(z.string()) })
      .parse((await fixture.rest('GET', '/service')).body)
    const isNoticed = notices.length > 0
    const failed: string[] = []
    for (const read of answers)
      for (const [path, { status: now, text }] of read)
        if (now >= 500 && !/"code":"damaged_/.test(text))
          failed.push(`${path} got ${now} ${text.slice(0, 200)}`)
    if (failed.length > 0) faults.push(`${failed.length} reads failed, such as ${failed[0]}`)
    const lost = lostBetween(before, answers.at(-1) ?? new Map())
    const isChanged = lost.length > 0 && !isNoticed && isSound(damaged.bytes)
    if (lost.length > 0 && !isNoticed && !isChanged)
      faults.push(`lost without a notice: ${lost.slice(0, 3).join(', ')}`)
    if (isNoticed && damaged.file !== 'events.sqlite.index' && !isKept(fixture.dataFolder, damaged))
      faults.push('the damaged file is gone')
    return { faults, isNoticed, isLost: lost.length > 0 && isNoticed, isChanged }
  } finally {
    await fixture.stop()
  }
}

/** Posts an event, and once more while the service repairs. Returns the last status. */
async function accepted(fixture: ServiceFixture, { credentials }: FullFolder): Promise<number> {
  const inboundUrl = fixture.listenerUrl + new URL(credentials.inboundUrl).pathname
  for (let attempt = 1; ; attempt++) {
    const { status } = await postInbound(
      { ...credentials, inboundUrl },
      '{"event":"order.created","data":{"n":-1}}',
      fixture.clock.now + 10_000 + attempt,
    )
    if (status !== 503 || attempt === 50) return status
    await setTimeout(100)
  }
}

const ids = /\b(?:evt|run|call|att|conv|file|wf|conn)_[\w-]+|"index":\d+/g

/** Returns the reads that have lost records, without a word about damage in their answer. */
function lostBetween(before: Answers, after: Answers): string[] {
  return [...before].flatMap(([path, { text }]) => {
    const now = after.get(path)
    if (now === undefined || path === '/statistics' || /"damaged"|"code":"damaged_/.test(now.text)) return []
    return (text.match(ids) ?? []).every(id => now.text.includes(id)) ? [] : [path]
  })
}

/** Returns whether SQLite finds nothing wrong with a database. */
function isSound(bytes: Buffer): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'custom-connection-bench-'))
  const file = join(folder, 'sound.sqlite')
  writeFileSync(file, bytes)
  const database = new DatabaseSync(file)
  try {
    return database.prepare('PRAGMA integrity_check').get()?.integrity_check === 'ok'
  } catch {
    return false
  } finally {
    database.close()
    rmSync(folder, { recursive: true })
  }
}

function isKept(folder: string, { file, bytes }: { readonly file: string; readonly bytes: Buffer }): boolean {
  return readdirSync(folder).some(
    name => name.startsWith(`${file}.corrupt-`) && readFileSync(join(folder, name)).equals(bytes),
  )
}

function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
}

if (import.meta.main) await run()
