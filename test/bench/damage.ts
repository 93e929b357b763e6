/**
 * Damaged files of the data folder: each file in turn is cut short, emptied, overwritten, flipped, deleted or replaced
 * by a folder, and the service started on it. It must either start and answer, or end with a sentence that says why;
 * it never hangs, never prints a stack trace and never throws away a damaged configuration or event log.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { createRandom, type Random } from '../support/fuzz/random.ts'
import {
  adminToken,
  load,
  newFolder,
  removeFolder,
  Served,
  serveArguments,
  startService,
} from './support/processes.ts'

export type DamageResult = {
  readonly variants: number
  readonly started: number
  readonly refused: number
  readonly wrong: readonly string[]
}

type Damage = { readonly name: string; readonly apply: (file: string, random: Random) => void }

const damages: readonly Damage[] = [
  { name: 'emptied', apply: file => truncateSync(file, 0) },
  { name: 'cut in half', apply: file => truncateSync(file, Math.floor(statSync(file).size / 2)) },
  { name: 'short of its last byte', apply: file => truncateSync(file, Math.max(0, statSync(file).size - 1)) },
  { name: 'with zeros for its first 512 bytes', apply: file => overwrite(file, 0, Buffer.alloc(512)) },
  {
    name: 'with text for its content',
    apply: file => writeFileSync(file, 'This is not what belongs here.\n'),
  },
  { name: 'with a byte flipped', apply: (file, random) => flip(file, random) },
  { name: 'with another byte flipped', apply: (file, random) => flip(file, random) },
  { name: 'with more behind it', apply: file => writeFileSync(file, 'more', { flag: 'a' }) },
  { name: 'deleted', apply: file => rmSync(file) },
  { name: 'a folder', apply: file => replaceByFolder(file) },
  { name: 'random bytes', apply: (file, random) => writeFileSync(file, randomBytes(4096, random)) },
]

/** The files with the user's data. No byte of them may be lost, even if they are damaged. */
const precious = /^(config\.json|events\.sqlite)/

export async function run({ seed = Date.now() } = {}): Promise<DamageResult> {
  const random = createRandom(seed)
  const original = await makeFolder()
  const wrong: string[] = []
  const counts = { variants: 0, started: 0, refused: 0 }
  try {
    const files = readdirSync(original).filter(name => statSync(join(original, name)).isFile())
    for (const name of files)
      for (const damage of damages) {
        counts.variants++
        const outcome = await tryVariant(original, name, damage, random)
        if (outcome.started) counts.started++
        else counts.refused++
        if (outcome.fault !== null) wrong.push(`${name} ${damage.name}: ${outcome.fault}`)
      }
  } finally {
    removeFolder(original)
  }
  console.log(`seed ${seed}`)
  console.log(
    `${counts.variants} variants   ${counts.started} started, ${counts.refused} refused with a reason`,
  )
  console.log(`neither, or data lost   ${wrong.length}   target: 0`)
  for (const one of wrong) console.log(`  ${one}`)
  return { ...counts, wrong }
}

/** A folder with a connection, events and a refused attempt, of a service that was killed. */
async function makeFolder(): Promise<string> {
  const service = await startService()
  const requests = { connections: 8, requests: 500, warmup: 0, bodyBytes: 220 }
  await load({ ...requests, url: service.inboundUrl, secret: service.secret })
  await load({ ...requests, requests: 20, url: service.inboundUrl, secret: 'whsec_wrong' })
  const exited = once(service.process, 'exit')
  service.process.kill('SIGKILL')
  await exited
  return service.folder
}

type Outcome = { readonly started: boolean; readonly fault: string | null }

async function tryVariant(original: string, name: string, damage: Damage, random: Random): Promise<Outcome> {
  const folder = newFolder()
  cpSync(original, folder, { recursive: true })
  try {
    damage.apply(join(folder, name), random)
    const before = readOrNull(join(folder, name))
    const outcome = await startOn(folder)
    const isKept =
      before === null || before.length === 0 || !precious.test(name) || isSomewhere(folder, before)
    return outcome.fault === null && !outcome.started && !isKept
      ? { started: false, fault: 'it was refused, and its bytes are gone' }
      : outcome
  } finally {
    removeFolder(folder)
  }
}

async function startOn(folder: string): Promise<Outcome> {
  const child = spawn(process.execPath, [...serveArguments(folder), '--admin-token', adminToken], {
    cwd: resolve(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit').then(([code]) => Number(code))
  let stdout = ''
  let stderr = ''
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  const firstLine = new Promise<void>(done =>
    child.stdout.on('data', chunk => {
      stdout += chunk
      if (stdout.includes('\n')) done()
    }),
  )
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000)
  try {
    await Promise.race([firstLine, exited])
    const served = Served.safeParse(stdout.includes('\n') ? JSON.parse(stdout) : null)
    if (!served.success) return { started: false, fault: refusalFault(await exited, stdout + stderr) }
    const fault = await readsFault(served.data.dashboardUrl)
    child.kill('SIGTERM')
    const code = await exited
    return { started: true, fault: fault ?? (code === 0 ? null : `it ended with ${code}: ${stderr}`) }
  } finally {
    clearTimeout(timer)
  }
}

function refusalFault(code: number, output: string): string | null {
  if (code !== 1) return `it ended with ${code}: ${output}`
  if (/^\s+at .+:\d+:\d+\)?$/m.test(output)) return `it printed a stack trace: ${output}`
  return output.trim() === '' ? 'it ended without a word' : null
}

/** Reads what a dashboard reads first. @returns what went wrong, null where nothing did. */
async function readsFault(dashboardUrl: string): Promise<string | null> {
  const get = (path: string) =>
    fetch(`${dashboardUrl}${path}`, { headers: { authorization: `Bearer ${adminToken}` } })
  const listed = await get('/api/v1/connections')
  if (!listed.ok) return `the list of connections: ${listed.status} ${await listed.text()}`
  const connections: unknown = await listed.json()
  for (const { connectionId } of Array.isArray(connections) ? connections : [])
    for (const what of ['events', 'attempts', 'actions', 'event-types']) {
      const answer = await get(`/api/v1/connections/${connectionId}/${what}`)
      if (!answer.ok) return `${what}: ${answer.status} ${await answer.text()}`
      await answer.body?.cancel()
    }
  return null
}

function overwrite(file: string, at: number, bytes: Buffer): void {
  const content = readFileSync(file)
  bytes.copy(content, at)
  writeFileSync(file, content)
}

function flip(file: string, random: Random): void {
  const content = readFileSync(file)
  const index = random.int(content.length)
  content[index] = (content[index] ?? 0) ^ (1 << random.int(8))
  writeFileSync(file, content)
}

function replaceByFolder(file: string): void {
  rmSync(file)
  mkdirSync(file)
}

function randomBytes(length: number, random: Random): Buffer {
  return Buffer.from(Array.from({ length }, () => random.int(256)))
}

function readOrNull(file: string): Buffer | null {
  try {
    return readFileSync(file)
  } catch {
    return null
  }
}

/** Whether some file of the folder, or of a folder set aside in it, begins with these bytes. */
function isSomewhere(folder: string, bytes: Buffer): boolean {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).some(name => {
    const content = readOrNull(join(folder, name))
    return content?.subarray(0, bytes.length).equals(bytes)
  })
}

if (import.meta.main) await run()
