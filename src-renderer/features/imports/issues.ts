import type { ImportIssue, ImportPreview } from '#shared/model/import-preview.ts'
import { formatCount } from '../../ui/format.ts'

type IssueCounts = { readonly errors: number; readonly warnings: number }

/** How many there are; one issue may stand for the many that are not listed. */
export function countIssues(issues: readonly ImportIssue[]): IssueCounts {
  const counts = { errors: 0, warnings: 0 }
  for (const { severity, message } of issues) {
    const [, more] = /^There are (\d+) more (?:error|warning)s\.$/.exec(message) ?? []
    counts[severity === 'error' ? 'errors' : 'warnings'] += more === undefined ? 1 : Number(more)
  }
  return counts
}

/** “2 errors, 1 warning”; empty without any. */
export function countsInWords({ errors, warnings }: IssueCounts): string {
  return [
    ...(errors === 0 ? [] : [formatCount(errors, 'error')]),
    ...(warnings === 0 ? [] : [formatCount(warnings, 'warning')]),
  ].join(', ')
}

/** Errors first, each kind in the order of the text. */
export function errorsFirst(issues: readonly ImportIssue[]): ImportIssue[] {
  const isError = ({ severity }: ImportIssue) => severity === 'error'
  return [...issues.filter(isError), ...issues.filter(issue => !isError(issue))]
}

/** What a list has room for: the first sentence, without its stop. */
export function headline(message: string): string {
  const [first = message] = /^.*?[.!?](?=\s|$)/s.exec(message) ?? []
  return first.replace(/\.$/, '').replaceAll('`', '')
}

type Place = Pick<ImportIssue, 'line' | 'column'>

/** The issue that the cursor is at: of its line, the last one before it, else the first. */
export function issueAt(issues: readonly ImportIssue[], { line, column }: Place): ImportIssue | null {
  const onLine = issues.filter(issue => issue.line === line).sort((one, other) => one.column - other.column)
  return onLine.findLast(issue => issue.column <= column) ?? onLine[0] ?? null
}

/** Warnings that are not about something left out, which a preview lists by itself. */
export function otherWarnings({ issues, unsupported }: ImportPreview): ImportIssue[] {
  const leftOut = new Set(unsupported.map(({ name, reason, line }) => `${line} ${name}: ${reason}`))
  return issues.filter(
    ({ severity, message, line }) => severity === 'warning' && !leftOut.has(`${line} ${message}`),
  )
}
