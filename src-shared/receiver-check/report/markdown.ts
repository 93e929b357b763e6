import { changesOf, checkWords, outcomeText } from '../words.ts'
import { type Report, rowOf, timeText } from './report.ts'

/** Returns a text in which Markdown has no meaning, on one line. */
const plain = (text: string) => text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|#]/g, '\\$&')

/** Returns a report as Markdown. */
export function markdownReport({ actionName, method, url, at, version, check, answers }: Report): string {
  const rows = check.checks
    .map(rowOf)
    .map(({ title, expected, got, verdict }) => [title, expected, got, verdict])
  const changes = changesOf(check)
  const shown = [...(answers ?? [])].flatMap(([id, body]) => [
    ...['', `### ${checkWords[id].title}`, ''],
    ...body.split(/\r\n|\r|\n/).map(line => `    ${line}`),
  ])
  return [
    `# Receiver check: ${plain(actionName)}`,
    '',
    `${method} ${plain(url)}  `,
    `${timeText(at)} · Custom Connection ${version}`,
    '',
    `**${outcomeText(check)}.**`,
    '',
    ...table([['Check', 'Expected', 'Got', 'Verdict'], ...rows]),
    ...(changes.length === 0 ? [] : ['', '## What to change', '']),
    ...changes.map((change, index) => `${index + 1}. ${change}`),
    ...(shown.length === 0 ? [] : ['', '## Answers', ...shown]),
    '',
  ].join('\n')
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)]
}
