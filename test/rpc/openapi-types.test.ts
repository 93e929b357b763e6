import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { describeRest } from '#main/http/openapi.ts'

const programs = join(import.meta.dirname, '../openapi-types/node_modules')
const generate = join(programs, 'openapi-typescript/bin/cli.js')
const compile = join(programs, 'typescript/bin/tsc')

const use = (name: string) => `
import type { components, operations, paths } from './api'
type Schemas = components['schemas']
export const action: Pick<Schemas['Action'], 'toolName' | 'isEnabled' | 'parameters'> = {
  toolName: 'look_up',
  ${name}: true,
  parameters: [{ name: 'id', type: 'string', description: 'The id.', required: true }],
}
type Listed = paths['/connections/{connectionId}/actions']['get']['responses']['200']['content']['application/json']
export const first = (actions: Listed): Schemas['Action'] | undefined => actions[0]
export const of = (event: Schemas['Event'], error: Schemas['Error']): string => event.eventName + error.code
export const resume: operations['live.follow']['parameters']['header'] = { 'Last-Event-ID': '7' }
`

/** Returns the errors of a strict compiler for a text that uses the generated types; empty without errors. */
function complaints(folder: string, text: string): string {
  writeFileSync(join(folder, 'use.ts'), text)
  try {
    execFileSync(process.execPath, [compile, '--noEmit', '--strict', 'use.ts'], {
      cwd: folder,
    })
    return ''
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)
  }
}

test('types made from the OpenAPI document name what the interface has, and a program that uses them compiles', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cc-openapi-types-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'api.json'), JSON.stringify(await describeRest('/api/v1')))
  execFileSync(process.execPath, [generate, 'api.json', '-o', 'api.d.ts'], { cwd: folder, stdio: 'pipe' })
  const types = readFileSync(join(folder, 'api.d.ts'), 'utf8')
  for (const name of [
    'Action',
    'Attempt',
    'Connection',
    'Event',
    'EventType',
    'Parameter',
    'Settings',
    'Workspace',
  ])
    expect(types).toContain(`        ${name}: {`)
  // With every schema inlined, the 61 operations of that time had 180 lines each. The bound was 98 then.
  const operations =
    types.slice(types.indexOf('export interface operations')).match(/^ {4}["\w].*: \{$/gm) ?? []
  expect(operations.length).toBeGreaterThan(100)
  expect(types.split('\n').length).toBeLessThan(75 * operations.length)
  expect(complaints(folder, use('isEnabled'))).toBe('')
  expect(complaints(folder, use('enabled'))).toContain('isEnabled')
})
