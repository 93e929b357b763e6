import { htmlReport } from './html.ts'
import { junitReport } from './junit.ts'
import { markdownReport } from './markdown.ts'
import type { Report } from './report.ts'

/** Returns a report as JSON. */
function jsonReport({ actionName, check, answers, ...facts }: Report): string {
  const checks = check.checks.map(one => {
    const answer = answers?.get(one.id)
    return answer === undefined ? one : { ...one, answer }
  })
  return `${JSON.stringify({ action: actionName, ...facts, verdict: check.verdict, checks }, null, 2)}\n`
}

type Format = {
  readonly label: string
  readonly extension: string
  readonly type: string
  readonly render: (report: Report) => string
}

/** Every format of a report. */
export const reportFormats = {
  markdown: { label: 'Markdown', extension: '.md', type: 'text/markdown', render: markdownReport },
  html: { label: 'HTML', extension: '.html', type: 'text/html', render: htmlReport },
  junit: { label: 'JUnit XML', extension: '.xml', type: 'application/xml', render: junitReport },
  json: { label: 'JSON', extension: '.json', type: 'application/json', render: jsonReport },
} as const satisfies Readonly<Record<string, Format>>
