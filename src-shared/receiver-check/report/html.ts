import { changesOf, checkWords, outcomeText } from '../words.ts'
import { type Report, rowOf, timeText } from './report.ts'

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, found => entities[found] ?? found)

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #8884}
pre{overflow:auto;padding:.8rem;background:#8881}`

/** Returns a report as one page of HTML that loads nothing. */
export function htmlReport({ actionName, method, url, at, version, check, answers }: Report): string {
  const title = escaped(`Receiver check: ${actionName}`)
  const rows = check.checks.map(rowOf).map(row => {
    const cells = [row.title, row.expected, row.got, row.verdict, row.why]
    return `<tr>${cells.map(cell => `<td>${escaped(cell)}</td>`).join('')}</tr>`
  })
  const changes = changesOf(check).map(change => `<li>${escaped(change)}</li>`)
  const shown = [...(answers ?? [])].map(
    ([id, body]) => `<h3>${escaped(checkWords[id].title)}</h3>\n<pre>${escaped(body)}</pre>`,
  )
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${style}</style></head><body>`,
    `<h1>${title}</h1>`,
    `<p>${escaped(`${method} ${url}`)}<br>${escaped(`${timeText(at)} · Custom Connection ${version}`)}</p>`,
    `<p><strong>${escaped(outcomeText(check))}.</strong></p>`,
    '<table><thead><tr><th>Check</th><th>Expected</th><th>Got</th><th>Verdict</th><th>Why</th></tr></thead><tbody>',
    ...rows,
    '</tbody></table>',
    ...(changes.length === 0 ? [] : ['<h2>What to change</h2>', '<ol>', ...changes, '</ol>']),
    ...(shown.length === 0 ? [] : ['<h2>Answers</h2>', ...shown]),
    '</body></html>',
    '',
  ].join('\n')
}
