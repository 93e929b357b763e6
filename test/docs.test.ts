import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { isContractProcedure } from '@orpc/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createProgram } from '#main/cli/program.ts'
import { hiddenArgument } from '#main/desktop/arguments.ts'
import { contract } from '#shared/contract/index.ts'
import { retriedStatuses } from '#shared/errors/retry-rule.ts'
import { shapeNames, shapes } from '#shared/model/platform/agent.ts'
import { proceduresIn } from './support/reading-procedures.ts'

const Properties = z.record(z.string(), z.unknown()).optional()
const JsonSchema = z.object({
  properties: Properties,
  items: z.object({ properties: Properties }).optional(),
})

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')

/** Returns the routes in the tables of a document, such as `GET /runs`. */
function routesIn(name: string): string[] {
  const documented = [...read(name).matchAll(/^\| ([A-Z]+(?:, [A-Z]+)*) `(\/[^`]+)` \|/gm)]
  return documented.flatMap(([, methods = '', path]) =>
    methods.split(', ').map(method => `${method} ${path}`),
  )
}

test('docs/workflows.md names every route of workflows and runs, and no other', () => {
  const routes = [contract.workflows, contract.runs]
    .flatMap(group => Object.values(group))
    .filter(isContractProcedure)
    .map(procedure => `${procedure['~orpc'].route.method} ${procedure['~orpc'].route.path}`)
  expect(routesIn('docs/workflows.md').sort()).toEqual(routes.sort())
})

test('docs/actions.md names every route of cases, and no other', () => {
  const routes = Object.values(contract.cases).map(procedure => {
    const { method, path = '' } = procedure['~orpc'].route
    return `${method} ${path.replace('/connections/{connectionId}', '')}`
  })
  expect(routesIn('docs/actions.md').sort()).toEqual(routes.sort())
})

test('docs/platform.md names every route of the platform’s shapes, and no other', () => {
  const shape = new RegExp(`^/platform/(?:${shapeNames.join('|')})$`)
  const routes = proceduresIn(contract.platform).map(([, procedure]) => {
    const { method, path = '' } = procedure['~orpc'].route
    return `${method} ${path.replace(shape, '/platform/{shape}')}`
  })
  // A file is streamed, so it is not a procedure.
  const all = new Set([...routes, 'POST /platform/knowledge'])
  expect(routesIn('docs/platform.md').sort()).toEqual([...all].sort())
})

test.each(shapeNames)('docs/platform.md names every field of the shape %s, and no other', name => {
  const [, row = ''] = new RegExp(`^\\| \`${name}\` \\| (.*) \\|$`, 'm').exec(read('docs/platform.md')) ?? []
  const documented = row
    .replace('a list of entries with', '')
    .replace(/:.*/, '')
    .split(/,| and /)
  const { properties, items } = JsonSchema.parse(z.toJSONSchema(shapes[name].schema, { io: 'input' }))
  const fields = Object.keys(properties ?? items?.properties ?? {})
  expect(documented.map(field => field.trim())).toEqual(fields)
})

/** Returns the paths in the tables of docs/architecture.md. A name without a folder is in the folder before it. */
function filesOfArchitecture(): string[] {
  const [tables = ''] = read('docs/architecture.md').split('## The tree')
  return [...tables.matchAll(/^\|.*\|$/gm)].flatMap(([row]) => {
    let folder = ''
    const named = [...row.matchAll(/`([\w./-]+(?:\.tsx?|\.json|\/))`/g)].map(([, path = '']) => path)
    return named.map(path => {
      const whole = path.includes('/') || folder === '' ? path : posix.join(folder, path)
      folder = posix.dirname(whole)
      return /^(?:src-|test\/|biome)/.test(whole) ? whole : posix.join('src-main', whole)
    })
  })
}

test('docs/architecture.md says where each behaviour is, in files that exist', () => {
  const files = filesOfArchitecture()
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter(file => !existsSync(new URL(`../${file}`, import.meta.url)))).toEqual([])
})

test('CONTRIBUTING.md names files and scripts that exist', () => {
  const text = read('CONTRIBUTING.md')
  const files = [...text.matchAll(/`((?:src-|test\/|docs\/)[\w/.-]*[\w/])`/g)].map(([, path = '']) => path)
  expect(files.length).toBeGreaterThan(10)
  expect(files.filter(file => !existsSync(new URL(`../${file}`, import.meta.url)))).toEqual([])
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(read('package.json')))
  const named = [...text.matchAll(/npm run ([a-z:]+)/g)].map(([, name = '']) => name)
  expect(named.filter(name => scripts[name] === undefined)).toEqual([])
})

test('CHANGELOG.md has the version of package.json', () => {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')))
  expect(read('CHANGELOG.md')).toContain(`## ${version} - `)
})

test('docs/security.md names tests that exist', () => {
  const tests = [...read('docs/security.md').matchAll(/`([\w/.-]+\.ts)`/g)].map(([, path]) => `test/${path}`)
  expect(tests.length).toBeGreaterThan(50)
  expect(tests.filter(file => !existsSync(new URL(`../${file}`, import.meta.url)))).toEqual([])
})

test.each(['docs/senders.md', 'docs/errors.md'])('%s names every status after which senders retry', name => {
  const [rule = ''] = /^(- )?Retry after[^.]*/m.exec(read(name)) ?? []
  expect([...rule.matchAll(/\d+/g)].map(Number)).toEqual(retriedStatuses)
  expect(rule).toContain('if no response arrives')
})

test('README is short', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(195)
})

test('README names every subcommand', async () => {
  const [row = ''] = /^\| `npm run cli -- SUBCOMMAND`.*$/m.exec(read('README.md')) ?? []
  const documented = [...row.matchAll(/`([a-z]+)`/g)].map(([, name]) => name)
  const { commands } = await createProgram()
  const others = commands.map(command => command.name()).filter(name => name !== 'serve')
  expect(documented.sort()).toEqual(others.sort())
})

test('docs/desktop.md names the options of the app, and ones that serve has', async () => {
  const [, table = ''] = read('docs/desktop.md').split('| option |')
  const rows = [...table.matchAll(/^\| (.*?) \| (.*?) \| (.*?) \|$/gm)].map(([, ...cells]) => cells)
  const optionsIn = (text = '') => [...text.matchAll(/`(--[a-z-]+)/g)].map(([, option]) => option)
  const rowOf = (option: string) => rows.find(([first]) => optionsIn(first).includes(option))
  expect(rowOf('--data')?.slice(1)).toEqual(['uses another data folder', 'uses another data folder'])
  expect(rowOf(hiddenArgument)?.[1]).toBe('refused')
  const serve = (await createProgram('serve')).commands.find(command => command.name() === 'serve')
  const known = serve?.options.map(({ long }) => long)
  expect(rowOf('--port')?.[2]).toBe('ignored')
  expect(known).toEqual(expect.arrayContaining(optionsIn(rowOf('--port')?.[0])))
})

test('CONTRIBUTING.md names every benchmark', () => {
  const [row = ''] = /^The benchmarks: [^.]*\.$/m.exec(read('CONTRIBUTING.md')) ?? []
  const documented = [...row.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name)
  const benchmarks = [...read('test/bench/run.ts').matchAll(/^ {2}'?([a-z-]+)'?: \{/gm)].map(
    ([, name]) => name,
  )
  expect(benchmarks.length).toBeGreaterThan(0)
  expect(documented.sort()).toEqual(benchmarks.sort())
})
