import type { Histogram } from './histogram.ts'

/** A value and its labels, which are ids and words of closed sets. */
export type Sample = { readonly labels?: Readonly<Record<string, string>>; readonly value: number }

/** The samples of a family; empty for what is not known. */
export type Samples = readonly Sample[] | ReturnType<Histogram['read']>

export type WrittenFamily = {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: Samples
}

/** The text format of Prometheus, version 0.0.4, and OpenMetrics 1.0. */
export type PageFormat = 'text' | 'openmetrics'

/** The media type of each format. */
export const pageTypes: Readonly<Record<PageFormat, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

/** Returns a page of metrics. @param families counters have `_total` in their names. */
export function writePage(families: Iterable<WrittenFamily>, format: PageFormat): string {
  let page = ''
  for (const { name, type, help, samples } of families) {
    // OpenMetrics names the family of a counter without the suffix of its sample.
    const family = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name
    page += `# HELP ${family} ${escapeHelp(help, format)}\n# TYPE ${family} ${type}\n`
    page += 'buckets' in samples ? histogramLines(name, samples) : sampleLines(name, samples)
  }
  return format === 'openmetrics' ? `${page}# EOF\n` : page
}

function sampleLines(name: string, samples: readonly Sample[]): string {
  let lines = ''
  for (const { labels, value } of samples) lines += `${name}${labelsText(labels)} ${numberText(value)}\n`
  return lines
}

function histogramLines(name: string, { buckets, count, sumSeconds }: ReturnType<Histogram['read']>): string {
  const line = (bound: string, upTo: number) => `${name}_bucket{le="${bound}"} ${upTo}\n`
  return (
    buckets.map(({ bound, count }) => line(floatText(bound), count)).join('') +
    `${line('+Inf', count)}${name}_sum ${numberText(sumSeconds)}\n${name}_count ${count}\n`
  )
}

function labelsText(labels: Sample['labels']): string {
  let text = ''
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escapeLabel(labels[name] ?? '')}"`
  return text === '' ? '' : `{${text}}`
}

function escapeLabel(text: string): string {
  return /["\\\n]/.test(text)
    ? text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : text
}

function escapeHelp(text: string, format: PageFormat): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  return format === 'openmetrics' ? escaped.replaceAll('"', '\\"') : escaped
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}

/** Returns the canonical form of a bound in OpenMetrics, which has a point. */
export function floatText(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value)
}
