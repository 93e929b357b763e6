import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createProgram } from '#main/cli/program.ts'
import { families } from '#main/metrics/families.ts'
import { alertKinds } from '#shared/model/alert.ts'
import { ModelProvider } from '#shared/model/assistant-model.ts'
import { CaseRule } from '#shared/model/case.ts'
import { type ConnectionChange, connectionDefaults } from '#shared/model/connection.ts'
import { desktopDefaults } from '#shared/model/desktop.ts'
import { WebhookEvent } from '#shared/model/platform/webhook-event.ts'
import { AdviceCode, CheckId, CheckReason } from '#shared/model/receiver-check.ts'
import { defaultSender } from '#shared/model/sender/sender.ts'
import { schemeNames } from '#shared/model/sender/templates.ts'
import { settingsDefaults } from '#shared/model/settings.ts'
import { stepTypes } from '#shared/workflows/steps/kinds.ts'

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')

/** Returns the rows of the first table in a page whose first column has this title. */
function rowsOf(page: string, title: string): string[][] {
  const [, rows = ''] = read(page).split(new RegExp(`^\\| ${title} \\|.*\n\\|[-|]+\n`, 'm'))
  const [table = ''] = rows.split('\n\n')
  return table
    .trim()
    .split('\n')
    .map(row => row.slice(2, -2).split(' | '))
}

/** Returns the texts between backticks. */
const codesIn = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

async function nounsOfList(): Promise<string[]> {
  const [list] = (await createProgram('list')).commands
  return list?.commands.map(command => command.name()) ?? []
}

/** Returns the environment variables of this program that its source names. */
function variablesInSource(): string[] {
  const files = globSync(['src-*/**/*.{ts,tsx}', 'scripts/**/*.ts'], { cwd: root })
  return [...new Set(files.flatMap(file => read(file).match(/CUSTOM_CONNECTION_[A-Z_]*[A-Z]/g) ?? []))]
}

test.each([
  ['check', 'check', CheckId.options],
  ['reason of a check', 'reason', CheckReason.options],
  ['advice of a check', 'advice', AdviceCode.options],
])('docs/receiver.md names every %s', (_what, title, codes) => {
  const documented = rowsOf('docs/receiver.md', title).flatMap(([cell]) => codesIn(cell))
  expect(documented.sort()).toEqual([...codes].sort())
})

test.each([
  ['type of step', 'docs/workflows.md', 'type', stepTypes],
  ['rule of a case', 'docs/actions.md', 'rule', CaseRule.options],
  ['scheme of a sender', 'docs/senders.md', '`scheme`', schemeNames],
  ['webhook event', 'docs/platform.md', 'event', WebhookEvent.options.map(({ shape }) => shape.event.value)],
  ['noun of list', 'docs/reference.md', 'noun', await nounsOfList()],
  ['environment variable', 'docs/reference.md', 'variable', variablesInSource()],
  ['metric', 'docs/on-prem.md', 'metric', families.map(({ name }) => name)],
])('every %s has a row in %s', (_what, page, title, names) => {
  expect(names.length).toBeGreaterThan(2)
  const documented = rowsOf(page, title).map(([cell]) => codesIn(cell)[0])
  expect(documented.sort()).toEqual([...names].sort())
})

test('docs/actions.md has a row for every option of test', async () => {
  const [command] = (await createProgram('test')).commands
  const options = command?.options.map(({ long }) => long).filter(long => long !== '--data') ?? []
  expect(options.length).toBeGreaterThan(2)
  const documented = rowsOf('docs/actions.md', 'option').map(([cell]) => codesIn(cell)[0]?.split(' ')[0])
  expect(documented.sort()).toEqual(options.sort())
})

const { updatedAt: _, ...ofService } = settingsDefaults
const ofConnection = {
  ...connectionDefaults,
  sender: defaultSender,
  auth: null,
  rateLimit: null,
} satisfies Record<Exclude<keyof ConnectionChange, 'name'>, unknown>

test.each([
  ['setting of the service', 'setting', ofService],
  ['setting of a connection', 'field', ofConnection],
])('every %s has a row with its default in docs/reference.md', (_what, title, defaults) => {
  const documented = rowsOf('docs/reference.md', title).map(cells => cells.flatMap(codesIn).slice(0, 2))
  const expected = Object.entries(defaults).map(([name, value]) => [name, JSON.stringify(value)])
  expect(documented.sort()).toEqual(expected.sort())
})

test('every preference of the app has a row with its default in docs/desktop.md', () => {
  const documented = rowsOf('docs/desktop.md', 'preference').map(([name, value]) => [codesIn(name)[0], value])
  const expected = Object.entries(desktopDefaults).map(([name, isOn]) => [name, isOn ? 'on' : 'off'])
  expect(documented).toEqual(expected)
})

test('docs/assistant.md names every provider of models', () => {
  const [line] = /^- `provider` is .*$/m.exec(read('docs/assistant.md')) ?? []
  expect(codesIn(line)).toEqual(['provider', ...ModelProvider.options])
})

test('docs/alerts.md says of each kind of alert when it opens', () => {
  expect(rowsOf('docs/alerts.md', 'kind').map(([kind]) => codesIn(kind)[0])).toEqual([...alertKinds])
})
