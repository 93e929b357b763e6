/**
 * A strict reader of the text format of Prometheus (0.0.4) and of OpenMetrics 1.0, written from their specifications and
 * not from the service's own writer.
 */

export type ReadSample = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export type ReadFamily = {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: ReadSample[]
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
/** One label with its comma, if another one follows. */
const label = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,(?!$)|$)/
const helpText = { text: /^(?:[^\\]|\\[\\n])*$/, openmetrics: /^(?:[^\\"]|\\[\\n"])*$/ }
const number = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|[+-]Inf|NaN)$/i

/** Returns the families of a page by name. @throws Error with the line for whatever the format does not allow. */
export function readMetrics(page: string, format: 'text' | 'openmetrics'): ReadonlyMap<string, ReadFamily> {
  if (!page.endsWith('\n')) throw new Error('The last line has no end.')
  const lines = page.slice(0, -1).split('\n')
  if (format === 'openmetrics' && lines.pop() !== '# EOF')
    throw new Error('The page does not end with # EOF.')
  const families = new Map<string, ReadFamily>()
  const series = new Set<string>()
  let help: { name: string; text: string } | null = null
  let family: ReadFamily | null = null
  for (const line of lines) {
    const wrong = (reason: string) => new Error(`${reason}: ${line}`)
    const [mark, keyword, name = '', ...rest] = line.split(' ')
    if (mark === '#') {
      if (!metricName.test(name)) throw wrong('No name of a metric')
      if (keyword === 'HELP') {
        if (families.has(name)) throw wrong('A second HELP')
        help = { name, text: rest.join(' ') }
        if (!helpText[format].test(help.text)) throw wrong('An unknown escape')
      } else if (keyword === 'TYPE') {
        if (families.has(name)) throw wrong('A second TYPE')
        if (!['counter', 'gauge', 'histogram'].includes(rest.join(' '))) throw wrong('An unknown type')
        family = { name, type: rest.join(' '), help: help?.name === name ? help.text : '', samples: [] }
        families.set(name, family)
      } else throw wrong('An unknown comment')
      continue
    }
    const [, sample = '', labels = '', value = ''] = sampleLine.exec(line) ?? []
    if (sample === '' || !number.test(value)) throw wrong('No sample')
    if (family === null || !namesOf(family, format).includes(sample))
      throw wrong('A sample of no family above it')
    const read = { name: sample, labels: readLabels(labels, wrong), value: numberOf(value) }
    const key = JSON.stringify([sample, Object.entries(read.labels).sort()])
    if (series.has(key)) throw wrong('The series is there twice')
    series.add(key)
    if (family.type === 'counter' && !(read.value >= 0)) throw wrong('A counter below zero')
    family.samples.push(read)
  }
  for (const one of families.values()) if (one.type === 'histogram') checkHistogram(one, format)
  return families
}

function namesOf({ name, type }: ReadFamily, format: 'text' | 'openmetrics'): string[] {
  if (type === 'histogram') return [`${name}_bucket`, `${name}_sum`, `${name}_count`]
  if (type === 'counter' && format === 'openmetrics') return [`${name}_total`]
  return [name]
}

function readLabels(text: string, wrong: (reason: string) => Error): Record<string, string> {
  const labels: Record<string, string> = {}
  for (let rest = text; rest !== ''; ) {
    const [all, name = '', value = ''] = label.exec(rest) ?? []
    if (all === undefined || name in labels) throw wrong('A wrong label')
    labels[name] = value.replace(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped))
    rest = rest.slice(all.length)
  }
  return labels
}

function numberOf(text: string): number {
  if (/inf/i.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  return Number(text)
}

function checkHistogram({ name, samples }: ReadFamily, format: 'text' | 'openmetrics'): void {
  const buckets = samples.filter(sample => sample.name === `${name}_bucket`)
  const bounds = buckets.map(({ labels }) => labels.le ?? '')
  const counts = buckets.map(({ value }) => value)
  const isAscending = (numbers: readonly number[]) =>
    numbers.every((value, index) => index === 0 || value >= (numbers[index - 1] ?? 0))
  if (!isAscending(bounds.map(numberOf)) || !isAscending(counts)) throw new Error(`${name} does not ascend.`)
  if (bounds.at(-1) !== '+Inf') throw new Error(`${name} has no bucket +Inf.`)
  if (samples.find(sample => sample.name === `${name}_count`)?.value !== counts.at(-1))
    throw new Error(`The count of ${name} is not that of its last bucket.`)
  // OpenMetrics: the canonical form of a bound has a point.
  if (format === 'openmetrics' && bounds.slice(0, -1).some(bound => !/^\d+\.\d+$/.test(bound)))
    throw new Error(`${name} has a bound that is not canonical.`)
}

/** Returns the value of a series; null if it is not there. */
export function valueIn(
  families: ReadonlyMap<string, ReadFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | null {
  const wanted = JSON.stringify(Object.entries(labels).sort())
  const found = families
    .get(name)
    ?.samples.find(
      sample => sample.name === name && JSON.stringify(Object.entries(sample.labels).sort()) === wanted,
    )
  return found?.value ?? null
}
