/**
 * Imports the descriptions of real APIs and calls 40 of the actions of each, once with the required arguments and once
 * with all, made only from the input schemas that `tools/list` gives. Prism judges each request against the document.
 * Targets: 99 % of the operations are enabled actions; Prism accepts 97 % of the calls.
 *
 * REAL_APIS is a folder of OpenAPI documents (`.json`, `.yaml`). API_TOOLS is a folder where `@stoplight/prism-cli` and
 * `json-schema-faker` are installed; without it, both are installed in a new one. SEED chooses other actions.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { z } from 'zod'
import { createRandom, type Random } from '../support/fuzz/random.ts'
import { type Prism, startPrism } from './support/prism.ts'
import { newFolder, type RunningService, removeFolder, startService } from './support/processes.ts'
import { connectTools } from './support/tools-of.ts'

const packages = ['@stoplight/prism-cli@5.14.2', 'json-schema-faker@0.5.8']
const actionsEach = 40
/** How often arguments are made until they fit their schema. */
const tries = 20

type Tool = { readonly name: string; readonly inputSchema: object }
type Faker = {
  option(options: Readonly<Record<string, unknown>>): void
  generate(schema: object): unknown
}
type Result = {
  readonly document: string
  readonly operations: number
  readonly enabled: number
  readonly calls: number
  readonly accepted: number
  readonly refusals: readonly string[]
}

export async function run({ seed = Number(process.env.SEED ?? 7) } = {}): Promise<readonly Result[]> {
  const folder = process.env.REAL_APIS
  if (folder === undefined) {
    console.log('Left out: REAL_APIS names no folder of OpenAPI documents.')
    return []
  }
  const tools = process.env.API_TOOLS === undefined ? installTools(packages) : resolve(process.env.API_TOOLS)
  const faker: Faker = createRequire(join(tools, 'package.json'))('json-schema-faker')
  const names = readdirSync(folder).filter(name => /\.(json|ya?ml)$/.test(name))
  const results: Result[] = []
  for (const name of names) {
    const result = await measure(resolve(folder, name), { name, tools, faker, random: createRandom(seed) })
    results.push(result)
    const share = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`
    console.log(
      `${name.padEnd(28)} ${result.enabled} of ${result.operations} operations (${share(result.enabled, result.operations)})` +
        `   ${result.accepted} of ${result.calls} calls (${share(result.accepted, result.calls)})`,
    )
    for (const refusal of result.refusals) console.log(`  ${refusal}`)
  }
  return results
}

/** Installs packages in a new folder. @returns the folder. */
export function installTools(packages: readonly string[]): string {
  const folder = newFolder()
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, ...packages], {
    stdio: 'inherit',
  })
  return folder
}

type Given = {
  readonly name: string
  readonly tools: string
  readonly faker: Faker
  readonly random: Random
}

async function measure(path: string, given: Given): Promise<Result> {
  const text = readFileSync(path, 'utf8')
  const prism = await startPrism(given.tools, text)
  const service = await startService()
  try {
    return await measureOn(service, prism, text, given)
  } finally {
    await Promise.all([service.stop(), prism.stop()])
    removeFolder(service.folder)
  }
}

async function measureOn(
  service: RunningService,
  prism: Prism,
  text: string,
  { name, faker, random }: Given,
): Promise<Result> {
  const mcp = await connectTools(service, text, prism.url)
  const refusals: string[] = []
  let [calls, accepted] = [0, 0]
  for (const tool of drawn(mcp.tools, random)) {
    for (const which of ['required', 'all'] as const) {
      const made = argumentsFor(tool, which, faker, random)
      calls++
      const answer = await mcp.call(tool.name, made.value)
      const [request] = prism.take()
      if (request !== undefined && request.faults.length === 0) accepted++
      else
        refusals.push(
          `${tool.name} (${which}): ${(request?.faults.join('; ') ?? answer).slice(0, 200)}${made.isValid ? '' : ' (the arguments do not fit the schema)'}`,
        )
      if (process.env.SHOW !== undefined && (request === undefined || request.faults.length > 0))
        console.log(
          JSON.stringify({ tool: tool.name, arguments: made.value, request }, null, 1).slice(0, 3000),
        )
    }
  }
  await mcp.close()
  return {
    document: name,
    operations: mcp.operations,
    enabled: mcp.enabled,
    calls,
    accepted,
    refusals,
  }
}

/** Draws tools, each at most once. */
function drawn(tools: readonly Tool[], random: Random): Tool[] {
  const left = [...tools]
  return Array.from(
    { length: Math.min(actionsEach, left.length) },
    () => left.splice(random.int(left.length), 1)[0],
  ).filter(tool => tool !== undefined)
}

/** Makes arguments from an input schema alone. */
function argumentsFor(tool: Tool, which: 'required' | 'all', faker: Faker, random: Random) {
  faker.option({
    requiredOnly: which === 'required',
    alwaysFakeOptionals: which === 'all',
    fillProperties: false,
    failOnInvalidTypes: false,
    failOnInvalidFormat: false,
    maxItems: 2,
    maxLength: 40,
    refDepthMin: 0,
    refDepthMax: 2,
    random: () => random.next(),
  })
  const fits = new Ajv2020({ strict: false, logger: false, validateFormats: false }).compile(tool.inputSchema)
  let value: Record<string, unknown> = {}
  for (let left = tries; left > 0; left--) {
    value = z.record(z.string(), z.unknown()).parse(faker.generate(tool.inputSchema))
    if (fits(value)) return { value, isValid: true }
  }
  return { value, isValid: false }
}

if (import.meta.main) await run()
