/** A report of tests, as builds read it. */
export type JunitReport = { readonly name: string; readonly suites: readonly JunitSuite[] }

export type JunitSuite = {
  readonly name: string
  /** When it began, as ISO 8601. */
  readonly at: string
  readonly cases: readonly JunitCase[]
}

export type JunitCase = {
  readonly classname: string
  readonly name: string
  /** Milliseconds. */
  readonly ms: number
  /** Null for a case that has passed. */
  readonly outcome: JunitOutcome | null
  /** Everything that the case has printed. */
  readonly output?: string
}

export type JunitOutcome = {
  readonly kind: 'failure' | 'error' | 'skipped'
  readonly message: string
  readonly type?: string
  readonly body?: string
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
}
/** Matches what XML 1.0 cannot have at all. */
const notXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
const escaped = (text: string) =>
  text
    .toWellFormed()
    .replace(notXml, '\ufffd')
    .replace(/[&<>"\n\r\t]/g, found => entities[found] ?? found)

const seconds = (ms: number) => (ms / 1000).toFixed(3)

/** Returns a report as JUnit XML. It is well-formed whatever the texts are. */
export function junitXml({ name, suites }: JunitReport): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(name)}" ${countsOf(suites.flatMap(({ cases }) => cases))}>`,
    ...suites.flatMap(suite => [
      `  <testsuite name="${escaped(suite.name)}" timestamp="${suite.at.slice(0, 19)}" ${countsOf(suite.cases)}>`,
      ...suite.cases.map(caseXml),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n')
}

function countsOf(cases: readonly JunitCase[]): string {
  const count = (kind: JunitOutcome['kind']) => cases.filter(({ outcome }) => outcome?.kind === kind).length
  const ms = cases.reduce((sum, one) => sum + one.ms, 0)
  return `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}" time="${seconds(ms)}"`
}

function caseXml({ classname, name, ms, outcome, output }: JunitCase): string {
  const inside = `${outcome === null ? '' : outcomeXml(outcome)}${output === undefined ? '' : `<system-out>${escaped(output)}</system-out>`}`
  return `    <testcase classname="${escaped(classname)}" name="${escaped(name)}" time="${seconds(ms)}">${inside}</testcase>`
}

function outcomeXml({ kind, type, message, body }: JunitOutcome): string {
  const start = `${kind}${type === undefined ? '' : ` type="${escaped(type)}"`} message="${escaped(message)}"`
  return body === undefined ? `<${start}/>` : `<${start}>${escaped(body)}</${kind}>`
}
