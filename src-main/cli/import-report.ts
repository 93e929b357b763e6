import type { ImportIssue, ImportPreview, ImportResult } from '#shared/model/import-preview.ts'
import { plural } from './plural.ts'
import { printable } from './printable.ts'

/** How many names of a kind are shown; all are in the JSON. */
const maxShown = 50

/** One line for each problem, as compilers write them: `shop.json:3:12: sentence`. Pure. */
export function describeIssues(file: string, issues: readonly ImportIssue[]): string[] {
  return issues.map(({ line, column, severity, message, path }) => {
    const kind = severity === 'warning' ? 'warning: ' : ''
    const where = path === '' ? '' : ` (${path})`
    return printable(`${file}:${line}:${column}: ${kind}${message}${where}`)
  })
}

/** Describes for people what an import would do, or has done. Pure. */
export function describePreview(preview: ImportPreview, isDone: boolean): string[] {
  const { connection, actions, eventTypes, environmentVariables } = preview
  return [
    ...(connection === null ? [] : [connectionLine(connection)]),
    ...describeNames('action', actions.create, actions.skip, isDone),
    ...describeNames('event type', eventTypes.create, eventTypes.skip, isDone),
    ...(environmentVariables.length === 0 ? [] : ['Environment variables, and where they would be sent:']),
    ...environmentVariables.map(({ name, host }) => `  ${name} → ${host ?? 'no base URL yet'}`),
  ].map(printable)
}

/** What an import did, for people. Pure. */
export function describeResult({ connectionId, created, skipped }: ImportResult): string[] {
  return [
    `Imported into ${connectionId}: ${plural(created.actions.length, 'action')} and ${plural(created.eventTypes.length, 'event type')} created, ${plural(skipped.actions.length, 'action')} and ${plural(skipped.eventTypes.length, 'event type')} skipped.`,
  ]
}

function connectionLine({ connectionId, name, baseUrl }: NonNullable<ImportPreview['connection']>): string {
  const what = connectionId === null ? 'A new connection' : `The connection ${connectionId}`
  return `${what}, "${name}", ${baseUrl === null ? 'without a base URL' : `at ${baseUrl}`}`
}

function describeNames(
  noun: string,
  create: readonly string[],
  skip: readonly string[],
  isDone: boolean,
): string[] {
  const creates = isDone ? 'Created' : 'Would create'
  const skips = isDone ? 'Skipped' : 'Would skip'
  const because = skip.length === 1 ? 'exists already or comes twice' : 'exist already or come twice'
  return [
    ...(create.length === 0 ? [] : [`${creates} ${plural(create.length, noun)}:`, ...shown(create)]),
    ...(skip.length === 0 ? [] : [`${skips} ${plural(skip.length, noun)} that ${because}:`]),
    ...shown(skip),
  ]
}

function shown(names: readonly string[]): string[] {
  const more = names.length - maxShown
  return [...names.slice(0, maxShown).map(name => `  ${name}`), ...(more > 0 ? [`  … and ${more} more`] : [])]
}
