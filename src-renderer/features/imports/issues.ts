import type { ImportIssue, ImportPreview } from '#shared/model/import-preview.ts'
import { formatCount } from '../../ui/format.ts'

type IssueCounts = { readonly errors: number; readonly warnings: number }

/** Counts the issues. One issue may stand for many that are not listed. */
export function countIssues(issues: readonly ImportIssue[]): IssueCounts {
  const counts = { errors: 0, warnings: 0 }
  for (const { severity, count = 1 } of issues) counts[severity === 'error' ? 'errors' : 'warnings'] += count
  return counts
}

/** Returns “2 errors, 1 warning”, or an empty text for none. */
export function countsInWords({ errors, warnings }: IssueCounts): string {
  const parts = [errors > 0 && formatCount(errors, 'error'), warnings > 0 && formatCount(warnings, 'warning')]
  return parts.filter(Boolean).join(', ')
}

/** Returns the errors and then the warnings, each in the order of the text. */
export function errorsFirst(issues: readonly ImportIssue[]): ImportIssue[] {
  return issues.toSorted((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'))
}

/** Returns the first sentence without its full stop, for a list. */
export function headline(message: string): string {
  const [first = message] = /^.*?[.!?](?=\s|$)/s.exec(message) ?? []
  return first.replace(/\.$/, '').replaceAll('`', '')
}

type Place = Pick<ImportIssue, 'line' | 'column'>

/** Returns the last issue before the cursor on its line, or the first one on the line. */
export function issueAt(issues: readonly ImportIssue[], { line, column }: Place): ImportIssue | null {
  const onLine = issues.filter(issue => issue.line === line).sort((one, other) => one.column - other.column)
  return onLine.findLast(issue => issue.column <= column) ?? onLine[0] ?? null
}

/** A warning, and the places where it applies. */
export type Remark = Pick<ImportIssue, 'message'> & { readonly places: readonly Place[] }

/** Returns each message once, with all of its places. */
export function grouped(issues: readonly ImportIssue[]): Remark[] {
  const byMessage = Map.groupBy(issues, ({ message }) => message)
  return Array.from(byMessage, ([message, same]) => ({
    message,
    places: same.map(({ line, column }) => ({ line, column })),
  }))
}

/** Returns the hint for a variable, or null without one. */
export function variableHint(issues: readonly ImportIssue[], name: string): string | null {
  return issues.find(({ variable }) => variable === name)?.message ?? null
}

/** Returns the warnings that the preview does not show beside an action or a variable. */
export function otherWarnings({ details }: Pick<ImportPreview, 'details'>, issues: readonly ImportIssue[]) {
  const named = new Set(details.environmentVariables.map(({ name }) => name))
  return issues.filter(
    ({ severity, code, variable }) =>
      severity === 'warning' && code !== 'left_out' && (variable === undefined || !named.has(variable)),
  )
}

/** Returns whether a warning is about the host that the actions are called at. */
export function isAboutHost({ code }: ImportIssue): boolean {
  return code === 'host'
}
