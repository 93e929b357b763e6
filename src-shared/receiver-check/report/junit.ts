import type { Check } from '../../model/receiver-check.ts'
import { adviceWords, countsOf } from '../words.ts'
import { type Report, rowOf } from './report.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
}
/** Matches what XML 1.0 cannot have at all. */
const notXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
const escaped = (text: string) =>
  text
    .toWellFormed()
    .replace(notXml, '\ufffd')
    .replace(/[&<>"\n\t]/g, found => entities[found] ?? found)

/** Returns a report as JUnit XML, for a build. A check to look at counts as a failure. */
export function junitReport({ actionName, method, url, at, check, answers }: Report): string {
  const { failed, look, skipped } = countsOf(check)
  const seconds = check.checks.reduce((sum, { tookMs }) => sum + (tookMs ?? 0), 0) / 1000
  const counts = `tests="${check.checks.length}" failures="${failed + look}" errors="0" skipped="${skipped}" time="${seconds.toFixed(3)}"`
  const cases = check.checks.map(one => {
    const answer = answers?.get(one.id)
    const output = answer === undefined ? '' : `<system-out>${escaped(answer)}</system-out>`
    const time = ((one.tookMs ?? 0) / 1000).toFixed(3)
    return `    <testcase classname="receiver_check.${one.id}" name="${escaped(rowOf(one).title)}" time="${time}">${outcomeOf(one)}${output}</testcase>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="Receiver check" ${counts}>`,
    `  <testsuite name="${escaped(`${actionName}: ${method} ${url}`)}" timestamp="${at.slice(0, 19)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function outcomeOf(check: Check): string {
  const { expected, got, verdict, why } = rowOf(check)
  if (verdict === 'passed') return ''
  if (verdict === 'skipped') return `<skipped message="${escaped(why)}"/>`
  const change = check.advice === null ? '' : adviceWords[check.advice.code].change
  const text = [`Expected ${expected}, got ${got}.`, why, change].filter(part => part !== '').join(' ')
  return `<failure type="${verdict}" message="${escaped(text)}"/>`
}
