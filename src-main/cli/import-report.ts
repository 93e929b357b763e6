import type { ImportIssue, ImportPreview, ImportResult } from '#shared/model/import-preview.ts'

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

/** What an import would do, for people. Pure. */
export function describePreview(preview: ImportPreview): string[] {
  const { connection, actions, eventTypes, environmentVariables } = preview
  return [
    ...(connection === null ? [] : [connectionLine(connection)]),
    ...describeNames('actions', actions.create, actions.skip),
    ...describeNames('event types', eventTypes.create, eventTypes.skip),
    ...(environmentVariables.length === 0 ? [] : ['Environment variables, and where they would be sent:']),
    ...environmentVariables.map(({ name, host }) => `  ${name} → ${host ?? 'no base URL yet'}`),
  ].map(printable)
}

/** What an import did, for people. Pure. */
export function describeResult({ connectionId, created, skipped }: ImportResult): string[] {
  return [
    `Imported into ${connectionId}: ${count(created.actions, 'action')} and ${count(created.eventTypes, 'event type')} created, ${count(skipped.actions, 'action')} and ${count(skipped.eventTypes, 'event type')} skipped.`,
  ]
}

function connectionLine({ connectionId, name, baseUrl }: NonNullable<ImportPreview['connection']>): string {
  const what = connectionId === null ? 'A new connection' : `The connection ${connectionId}`
  return `${what}, "${name}", ${baseUrl === null ? 'without a base URL' : `at ${baseUrl}`}`
}

function describeNames(kind: string, create: readonly string[], skip: readonly string[]): string[] {
  return [
    ...(create.length === 0 ? [] : [`Creates ${create.length} ${kind}:`, ...shown(create)]),
    ...(skip.length === 0 ? [] : [`Skips ${skip.length} ${kind} that are there already or come twice:`]),
    ...shown(skip),
  ]
}

function shown(names: readonly string[]): string[] {
  const more = names.length - maxShown
  return [...names.slice(0, maxShown).map(name => `  ${name}`), ...(more > 0 ? [`  … and ${more} more`] : [])]
}

function count(names: readonly string[], noun: string): string {
  return `${names.length} ${noun}${names.length === 1 ? '' : 's'}`
}

/** Without what a terminal would take for an order. */
function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Bidi_Control}]/gu,
    found => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
