import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, posix, relative, sep } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

const root = join(import.meta.dirname, '..')
const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome')
const Report = z.object({
  summary: z.object({ changed: z.int(), unchanged: z.int() }),
  diagnostics: z.array(z.object({ category: z.string(), location: z.object({ path: z.string() }) })),
})

const importOf = (specifier: string) => `import { x } from '${specifier}'\n\nexport const y = x\n`
const restricted = 'lint/style/noRestrictedImports'

type Import = readonly [path: string, specifier: string]

const forbidden: readonly Import[] = [
  ['src-shared/model/a.ts', '#main/service.ts'],
  ['src-shared/model/a.ts', '../../src-main/service.ts'],
  ['src-shared/model/a.ts', 'node:fs'],
  ['src-shared/model/a.ts', 'electron'],
  ['src-main/http/a.ts', 'electron'],
  ['src-main/cli/a.ts', 'electron'],
  ['src-main/service.ts', 'electron'],
  ['src-main/newcomer/a.ts', 'electron'],
  ['scripts/a.ts', 'electron'],
  ['test/a.ts', 'electron'],
  ['src-preload/a.ts', 'node:fs'],
  ['src-preload/a.ts', '#main/desktop/ipc.ts'],
  ['src-preload/a.ts', 'zod'],
  ['src-renderer/features/a.tsx', 'electron'],
  ['src-renderer/features/a.tsx', 'node:path'],
  ['src-renderer/features/a.tsx', '#main/service.ts'],
  ['src-renderer/features/a.tsx', '../../src-main/service.ts'],
]

const allowed: readonly Import[] = [
  ['src-shared/model/a.ts', './b.ts'],
  ['src-shared/model/a.ts', 'zod'],
  ['src-main/desktop/a.ts', 'electron'],
  ['src-main/desktop/a.ts', '#main/cli/run-cli.ts'],
  ['src-preload/a.ts', 'electron'],
  ['src-preload/a.ts', '#shared/window-channel.ts'],
  ['src-renderer/features/a.tsx', '#shared/contract/index.ts'],
]

const linted: readonly (readonly [rule: string, content: string])[] = [
  ['lint/suspicious/noExplicitAny', 'export const a: any = 1\n'],
  ['lint/correctness/noUnusedVariables', 'const a = 1\n\nexport {}\n'],
  ['lint/correctness/noUnusedImports', "import { join } from 'node:path'\n\nexport {}\n"],
  ['lint/style/useNodejsImportProtocol', "import { join } from 'path'\n\nexport const a = join\n"],
  // One of the recommended rules, to show that they are on.
  ['lint/suspicious/noDebugger', 'debugger\n\nexport {}\n'],
]

/** Only tests of `limits` may measure, since a busy machine makes them fail by chance. */
const measuring = [
  'export const a = performance.now()\n',
  'export const a = process.hrtime.bigint()\n',
  'export const a = process.cpuUsage()\n',
  'export const a = process.memoryUsage().rss\n',
  `export const a = '${'/proc'}/self/fd'\n`,
  importOf('./support/cpu-ms.ts'),
  importOf('../support/memory.ts'),
]

const unremarkable = 'export const a = 1\n'

const probeOf = ([path, specifier]: Import) => ({ path, content: importOf(specifier) })
const probes = [
  ...[...forbidden, ...allowed].map(probeOf),
  ...linted.map(([, content]) => ({ path: 'src-main/a.ts', content })),
  ...measuring.flatMap(content => [
    { path: 'test/a.test.ts', content },
    { path: 'test/a.limits.test.ts', content },
  ]),
  { path: 'src-main/a.ts', content: unremarkable },
].map((probe, index) => ({ ...probe, file: probe.path.replace('/a.', `/a${index}.`) }))

let diagnostics: z.infer<typeof Report>['diagnostics']

// One process of Biome looks at all of them: it takes longer to start than to work.
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cc-architecture-'))
  try {
    for (const file of ['biome.json', 'scripts/no-measuring.grit'])
      await cp(join(root, file), join(folder, file))
    // Biome asks the version control for what it ignores.
    await cp(join(root, '.gitignore'), join(folder, '.gitignore'))
    for (const { file, content } of probes) {
      await mkdir(dirname(join(folder, file)), { recursive: true })
      await writeFile(join(folder, file), content, { flag: 'wx' })
    }
    const report = await new Promise<string>(resolve => {
      execFile(
        process.execPath,
        [biome, 'lint', '--reporter=json', '--max-diagnostics=none', ...probes.map(({ file }) => file)],
        { cwd: folder },
        // A broken rule is a failure of the command, and what this asks for.
        (_error, stdout) => resolve(stdout),
      )
    })
    const { summary, ...found } = Report.parse(JSON.parse(report))
    expect(summary.changed + summary.unchanged).toBe(probes.length)
    diagnostics = found.diagnostics
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** Returns the rules, by category, that the probe of this content at this place of the project breaks. */
function brokenRules(path: string, content: string): string[] {
  const probe = probes.find(other => other.path === path && other.content === content)
  expect(probe).toBeDefined()
  return diagnostics.filter(({ location }) => location.path === probe?.file).map(({ category }) => category)
}

describe('imports point one way', () => {
  test.each(forbidden)('%s may not import %s', (path, specifier) => {
    expect(brokenRules(path, importOf(specifier))).toEqual([restricted])
  })

  test.each(allowed)('%s may import %s', (path, specifier) => {
    expect(brokenRules(path, importOf(specifier))).toEqual([])
  })
})

describe('lint', () => {
  test.each(linted)('%s bites', (rule, content) => {
    expect(brokenRules('src-main/a.ts', content)).toContain(rule)
  })

  test.each(measuring)('%s is refused outside limits', content => {
    expect(brokenRules('test/a.test.ts', content)).toEqual(['plugin'])
    expect(brokenRules('test/a.limits.test.ts', content)).toEqual([])
  })

  test('the configuration itself is up to date', () => {
    expect(brokenRules('src-main/a.ts', unremarkable)).toEqual([])
  })
})

type Source = { readonly path: string; readonly text: string }

async function sources(): Promise<Source[]> {
  const tops = (await readdir(root, { withFileTypes: true })).filter(
    entry => entry.isDirectory() && entry.name.startsWith('src-'),
  )
  const files = await Promise.all(
    tops.map(top => readdir(join(root, top.name), { recursive: true, withFileTypes: true })),
  )
  return Promise.all(
    files
      .flat()
      .filter(entry => entry.isFile() && /\.(tsx?|css)$/.test(entry.name))
      .map(async entry => {
        const file = join(entry.parentPath, entry.name)
        return { path: relative(root, file).split(sep).join('/'), text: await readFile(file, 'utf8') }
      }),
  )
}

/** Every specifier of an import, static or dynamic, of an export from, and of a require. */
function importsOf({ text }: Source): string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])([^'"]+)\1/g
  return [...text.matchAll(pattern)].map(match => match[2] ?? '')
}

/** Every specifier that is imported when a file is loaded, not only for its types. */
const loadedImportsOf = ({ path, text }: Source) =>
  importsOf({ path, text: text.replace(/\b(?:import|export) type [^'"]*['"][^'"]*['"]/g, '') })

const base = ['lib', 'json', 'signing', 'storage', 'occurrences']
const features = [
  'alerts',
  'assistant',
  'backup',
  'connections',
  'history',
  'importing',
  'inbound',
  'metrics',
  'tracing',
  'senders',
  'outbound',
  'platform',
  'sample',
  'workflows',
]

/** The folders that each folder of src-main may import from. A folder that is not listed imports no other. */
const service: Readonly<Record<string, readonly string[]>> = {
  storage: ['lib'],
  occurrences: ['storage'],
  alerts: [...base, 'backup', 'history', 'inbound', 'workflows'],
  inbound: base,
  outbound: base,
  connections: [...base, 'inbound', 'outbound'],
  history: [...base, 'connections', 'inbound', 'outbound', 'workflows'],
  importing: [...base, 'connections', 'outbound'],
  assistant: [...base, 'connections', 'history', 'outbound'],
  platform: [...base, 'connections', 'importing'],
  workflows: [...base, 'connections', 'inbound', 'outbound'],
  backup: base,
  live: [...base, 'history'],
  tracing: ['workflows'],
  metrics: [...base, 'connections', 'history', 'outbound'],
  sample: [...base, 'connections', 'importing', 'inbound'],
  senders: [...base, 'importing', 'inbound', 'workflows'],
  rpc: [...base, ...features, 'live'],
  'readiness.ts': ['storage'],
  assembly: [...base, ...features],
  'service.ts': [...base, ...features, 'assembly', 'readiness.ts', 'rpc'],
  http: [...base, ...features, 'rpc', 'service.ts'],
  cli: [...base, ...features, 'rpc', 'service.ts', 'http'],
  desktop: [...base, ...features, 'rpc', 'service.ts', 'http', 'cli'],
}

const controls = ['ui', 'client']
const entities = [
  'entities/alert',
  'entities/action',
  'entities/connection',
  'entities/environment',
  'entities/event',
  'entities/import-document',
  'entities/node',
  'entities/occurrence',
  'entities/run',
  'entities/snippet',
  'entities/tool',
  'entities/workflow',
  'entities/workspace',
]
/** `overlays.tsx` names the dialogs that any screen can open. */
const belowScreens = [...controls, ...entities, 'overlays.tsx']
const screens = [
  'features/actions',
  'features/activity',
  'features/agent',
  'features/alerts',
  'features/assistant',
  'features/connections',
  'features/conversation',
  'features/events',
  'features/imports',
  'features/map',
  'features/palette',
  'features/receiver-check',
  'features/runs',
  'features/settings',
  'features/story',
  'features/workflows',
  'features/workspaces',
]
const aroundScreens = [...belowScreens, ...screens, 'agent-pages.ts', 'settings-sections.ts']

/**
 * The parts that each part of src-renderer may import: `ui` and `client` know no noun, a noun of `entities` knows no
 * screen, and a screen of `features` knows no other screen, save for the files that are named here.
 */
const dashboard: Readonly<Record<string, readonly string[]>> = {
  // The words of an error, which its cache of queries reads.
  client: ['ui'],
  // How the dashboard separates digits.
  theme: ['ui'],
  ...Object.fromEntries(entities.map(entity => [entity, controls])),
  'entities/connection': [...controls, 'entities/workspace'],
  'entities/alert': [...controls, 'entities/workspace'],
  'entities/tool': [...controls, 'entities/workspace'],
  'entities/run': [...controls, 'entities/action', 'entities/workflow'],
  'entities/workflow': [...controls, 'entities/connection', 'entities/workspace'],
  ...Object.fromEntries(screens.map(screen => [screen, belowScreens])),
  'features/agent': [...belowScreens, 'agent-pages.ts'],
  // The page of a connection sends its events from every tab.
  'features/connections': [...belowScreens, 'features/events/send-popover.tsx'],
  // It finds what is on any screen.
  'features/palette': aroundScreens,
  'features/settings': [...belowScreens, 'settings-sections.ts'],
  // The builder shows the runs of its workflow.
  'features/workflows': [...belowScreens, 'features/runs/runs-view.tsx'],
  'settings-sections.ts': ['client', 'entities/node'],
  shell: aroundScreens,
  'routes.tsx': [...aroundScreens, 'shell'],
  'main.tsx': [...belowScreens, 'theme', 'shell', 'routes.tsx'],
}

const mayImport: Readonly<Record<string, typeof service>> = { 'src-main': service, 'src-renderer': dashboard }

/** Returns the part of its tree that a file belongs to: a folder, a folder of `entities` or `features`, or itself. */
function partOf(path: string): string {
  return /^src-\w+\/((?:entities|features)\/[^/]+|[^/]+)/.exec(path)?.[1] ?? ''
}

/** Returns the path of a file of the sources that an import names; an empty text for any other. */
function pathOf(from: string, specifier: string): string {
  if (/^#(main|renderer|shared)\//.test(specifier)) return specifier.replace('#', 'src-')
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : ''
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Returns what each file imports, also for its types alone, or what each part does if `nodeOf` returns the part of a path. */
function graphOf(all: readonly Source[], nodeOf = (path: string) => path): Graph {
  const graph = new Map<string, Set<string>>()
  for (const source of all) {
    const node = nodeOf(source.path)
    const imported = graph.get(node) ?? new Set()
    for (const name of importsOf(source)) imported.add(nodeOf(pathOf(source.path, name)))
    // The files of a part may import each other.
    if (node !== source.path) imported.delete(node)
    graph.set(node, imported)
  }
  return graph
}

/** Returns circles of a graph, at least one if there is any. Looks at each import once. */
function circlesIn(graph: Graph): string[] {
  const circles: string[] = []
  const way = new Set<string>()
  const done = new Set<string>()
  function follow(node: string): void {
    if (way.has(node)) {
      const nodes = [...way]
      circles.push([...nodes.slice(nodes.indexOf(node)), node].join(' → '))
    }
    if (way.has(node) || done.has(node)) return
    way.add(node)
    for (const next of graph.get(node) ?? []) follow(next)
    way.delete(node)
    done.add(node)
  }
  for (const node of graph.keys()) follow(node)
  return circles
}

describe('the sources', () => {
  test('are there to be looked at', async () => {
    const all = await sources()
    expect(all.length).toBeGreaterThan(50)
    expect(all.flatMap(importsOf)).toEqual(
      expect.arrayContaining(['zod', 'node:crypto', '#shared/errors.ts']),
    )
  })

  test('name electron in main.ts of src-main/desktop and in src-preload alone, dynamically too', async () => {
    const importers = (await sources()).filter(source =>
      importsOf(source).some(name => /^electron(\/|$)/.test(name)),
    )
    // All else of the app takes the parts it needs, and so runs in tests.
    expect(importers.map(({ path }) => path).sort()).toEqual([
      'src-main/desktop/main.ts',
      'src-preload/index.ts',
    ])
  })

  test.each(Object.keys(mayImport))('of %s import only what their part may import', async tree => {
    const wrong = (await sources())
      .filter(({ path }) => path.startsWith(`${tree}/`))
      .flatMap(source => {
        const part = partOf(source.path)
        const allowed = [part, ...(mayImport[tree]?.[part] ?? [])]
        return importsOf(source)
          .map(name => pathOf(source.path, name))
          .filter(path => path.startsWith(`${tree}/`))
          .filter(path => !allowed.includes(partOf(path)) && !allowed.includes(path.slice(tree.length + 1)))
          .map(path => `${source.path} imports ${path}`)
      })
    expect(wrong).toEqual([])
  })

  test('outside of storage know its interface alone, not its kinds', async () => {
    const wrong = (await sources())
      .filter(({ path }) => !path.startsWith('src-main/storage/'))
      .flatMap(source =>
        importsOf(source)
          .map(name => pathOf(source.path, name))
          .filter(path => /^src-main\/storage\/[^/]+\//.test(path))
          .map(path => `${source.path} imports ${path}`),
      )
    expect(wrong).toEqual([])
  })

  test('of a kind of storage are imported by kinds alone, and by the entries', async () => {
    const kinds = /^src-main\/(storage|backup)\/(local|postgres)\//
    const entries = ['src-main/storage/open-storage.ts', 'src-main/storage/service-facts.ts']
    const wrong = (await sources())
      .filter(({ path }) => !kinds.test(path) && !entries.includes(path))
      .flatMap(source => importsOf(source).map(name => [source.path, pathOf(source.path, name)]))
      .filter(([, imported = '']) => kinds.test(imported))
    expect(wrong).toEqual([])
  })

  test('that nodes share keep nothing in files of their own', async () => {
    const writing =
      /\b(writeFile|appendFile|createWriteStream|open|mkdir|mkdtemp|copyFile|cp|link|symlink|rename|rm|unlink|truncate|chmod|write\w*)(Sync)?\b/
    const fromFiles =
      /\bimport (?!type )([^'"]*) from '(?:node:fs(?:\/promises)?|#main\/lib\/file-system\.ts)'/g
    const writers = (await sources()).filter(
      ({ text }) =>
        text.includes("'node:sqlite'") ||
        [...text.matchAll(fromFiles)].some(([, names = '']) => writing.test(names) || names.startsWith('*')),
    )
    const own = /^src-main\/(storage|cli|desktop|backup)\//
    const files = [
      // The socket for the command line.
      'src-main/http/open-dashboard.ts',
      'src-main/lib/file-system.ts',
      // In a thread that reads a knowledge file: what it has found, until the store takes it over.
      'src-main/platform/knowledge/passages.ts',
    ]
    expect(writers.length).toBeGreaterThan(files.length)
    expect(
      writers
        .map(({ path }) => path)
        .filter(path => !own.test(path))
        .sort(),
    ).toEqual(files)
  })

  test('import nothing that imports them, not even for a type', async () => {
    const all = await sources()
    expect(circlesIn(graphOf(all))).toEqual([])
    const renderer = all.filter(({ path }) => path.startsWith('src-renderer/'))
    expect(circlesIn(graphOf(renderer, path => partOf(path) || path))).toEqual([])
  })

  test.each([
    ['a file that imports itself', { a: ['a'] }, ['a → a']],
    ['two files', { a: ['c', 'b'], b: ['a', 'c'], c: [] }, ['a → b → a']],
    ['a circle that a file leads to', { a: ['b'], b: ['c'], c: ['d'], d: ['b'] }, ['b → c → d → b']],
    ['two ways to one file, which are not a circle', { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, []],
  ])('are searched for circles: %s', (_case, imports, circles) => {
    const graph = new Map(Object.entries(imports).map(([node, next]) => [node, new Set(next)]))
    expect(circlesIn(graph)).toEqual(circles)
  })

  test('of the SQLite threads do not load zod, which would double the time to start a thread', async () => {
    const all = new Map((await sources()).map(source => [source.path, source]))
    const threads = [...all.values()].filter(
      source =>
        source.path.startsWith('src-main/storage/local/sqlite/') &&
        importsOf(source).includes('./serve-calls.ts'),
    )
    expect(threads.map(({ path }) => path).sort()).toEqual([
      'src-main/storage/local/sqlite/event-log-reader.ts',
      'src-main/storage/local/sqlite/event-log-writer.ts',
      'src-main/storage/local/sqlite/history-worker.ts',
      'src-main/storage/local/sqlite/knowledge-worker.ts',
    ])
    const loaded = new Set(threads)
    for (const source of loaded)
      for (const name of loadedImportsOf(source)) {
        const next = all.get(pathOf(source.path, name))
        if (next !== undefined) loaded.add(next)
      }
    expect(loaded.size).toBeGreaterThan(threads.length)
    const importers = [...loaded].filter(source => importsOf(source).includes('zod'))
    expect(importers.map(({ path }) => path)).toEqual([])
  })

  test('ask the kind of a step for what depends on its type', async () => {
    const asking = /\bstep\.type [!=]== |switch \(step\.type\)/
    const all = await sources()
    expect(all.filter(({ text }) => asking.test(text)).map(({ path }) => path)).toEqual([])
  })

  test('hold one concept a file: none has over 400 lines', async () => {
    const long = (await sources()).filter(({ text }) => text.split('\n').length > 400)
    expect(long.map(({ path }) => path)).toEqual([])
  })

  test('import files by their full name', async () => {
    const local = (await sources()).flatMap(source =>
      importsOf(source).filter(name => /^(\.|#(main|shared)\/)/.test(name)),
    )
    expect(local.filter(name => !/\.(ts|tsx|css|json)(\?raw)?$/.test(name))).toEqual([])
  })
})
