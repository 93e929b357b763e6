import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { families } from '#main/metrics/families.ts'
import { metricPrefix } from '#main/metrics/metrics.ts'
import { projectFolder } from './support/cli-process.ts'
import { temporaryFolder } from './support/cli-service.ts'
import { missingOf, titled } from './support/has-program.ts'

const read = (name: string) => readFileSync(join(projectFolder, 'resources/on-prem', name), 'utf8')
const page = readFileSync(join(projectFolder, 'docs/on-prem.md'), 'utf8')

const Rules = z.strictObject({
  groups: z.tuple([
    z.strictObject({
      name: z.literal('custom-connection'),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^CustomConnection[A-Za-z]+$/),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+[mh]$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.strictObject({ summary: z.string().min(1), description: z.string().min(1) }),
        }),
      ),
    }),
  ]),
})
const { rules } = Rules.parse(parse(read('prometheus-rules.yml'))).groups[0]

const Place = z.strictObject({ h: z.int(), w: z.int(), x: z.int(), y: z.int() })
const Panel = z.looseObject({
  id: z.int(),
  title: z.string().min(1),
  gridPos: Place,
  targets: z.array(z.looseObject({ expr: z.string(), refId: z.string() })).default([]),
})
const Dashboard = z.looseObject({
  templating: z.looseObject({ list: z.array(z.looseObject({ name: z.string(), query: z.unknown() })) }),
  panels: z.array(Panel),
})
const dashboard = Dashboard.parse(JSON.parse(read('grafana.json')))
const { panels } = dashboard

/** The labels of each metric, as the page has them. */
const labels = new Map(
  [...page.matchAll(/^\| `(\w+)` \| (?:counter|gauge|histogram)[^|]*\| ([^|]*)\|/gm)].map(
    ([, name = '', cell = '']) => [name, [...cell.matchAll(/`(\w+)`/g)].map(([, label = '']) => label)],
  ),
)
/** The labels that a scraper adds. */
const ofScraper = ['job', 'instance']

/** Returns the labels of the series of this name; null if there is none. */
function labelsOf(series: string): readonly string[] | null {
  for (const { name, type } of families) {
    const names = type === 'histogram' ? ['_bucket', '_sum', '_count'].map(end => name + end) : [name]
    if (!names.some(one => metricPrefix + one === series)) continue
    const own = labels.get(name) ?? []
    return [...own, ...ofScraper, ...(series.endsWith('_bucket') ? ['le'] : [])]
  }
  return null
}

/** Expects that an expression has only series and labels that there are. */
function expectKnown(expression: string): void {
  const used = [...expression.matchAll(/\b(custom_connection_\w+)(?:\{([^}]*)\})?/g)]
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '))
  for (const [, series = '', selector = ''] of used) {
    const known = labelsOf(series)
    expect(known, series).not.toBeNull()
    const named = [...selector.matchAll(/(\w+)(?:=|!=|=~|!~)"/g)].map(([, label]) => label)
    for (const label of [...named, ...grouped]) expect(known, `${series} ${label}`).toContain(label)
    const isCounter = /_(total|bucket|sum|count)$/.test(series)
    const added = `\\(sum without \\(outcome\\) \\(${series}[{)].*\\[1h:\\]`
    if (isCounter) expect(expression).toMatch(new RegExp(`\\b(rate|increase)\\((${series}[{\\[]|${added})`))
  }
}

describe('the alert rules', () => {
  it('are ten, each with its own name', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(10)
  })

  it.each(rules)('$alert uses series and labels that there are', ({ alert, expr, annotations }) => {
    expectKnown(expr)
    if (alert !== 'CustomConnectionDown') expect(expr).toContain(metricPrefix)
    // A label that the expression does not keep is empty in the message.
    for (const [, label = ''] of annotations.summary.matchAll(/\$labels\.(\w+)/g))
      expect(expr.includes('by (') ? expr : 'instance').toContain(label)
  })
})

/** Series of the time before and after a burst of refusals and of failed calls, whose outcomes had no series before. */
const burst = {
  'events_total accepted': '0x5 3x30',
  'events_total unavailable': '0x35',
  'events_total invalid_signature': '_x5 7x30',
  'calls_total 2xx': '1x35',
  'calls_total 5xx': '0x35',
  'calls_total timeout': '_x5 4x30',
}

const missing = missingOf('promtool')
test.skipIf(missing.length > 0)(titled('Prometheus takes the rules, which see a burst', missing), () => {
  const folder = temporaryFolder()
  const expected = ['CustomConnectionEventsRefused', 'CustomConnectionCallsFailing'].map(name => {
    const { summary = '', description = '' } = rules.find(({ alert }) => alert === name)?.annotations ?? {}
    const annotations = { summary: summary.replace('{{ $labels.connection_id }}', 'conn_1'), description }
    return { name, labels: { severity: 'warning', connection_id: 'conn_1' }, annotations }
  })
  const file = join(folder, 'rules.test.yml')
  writeFileSync(
    file,
    JSON.stringify({
      rule_files: [join(projectFolder, 'resources/on-prem/prometheus-rules.yml')],
      tests: [
        {
          interval: '1m',
          input_series: Object.entries(burst).map(([series, values]) => {
            const [name = '', outcome = ''] = series.split(' ')
            return { series: `${metricPrefix}${name}{connection_id="conn_1",outcome="${outcome}"}`, values }
          }),
          alert_rule_test: expected.map(({ name, labels, annotations }) => ({
            ...{ eval_time: '20m', alertname: name },
            exp_alerts: [{ exp_labels: labels, exp_annotations: annotations }],
          })),
        },
      ],
    }),
  )
  execFileSync('promtool', ['test', 'rules', file], { stdio: 'pipe' })
})

describe('the scrape configuration', () => {
  it('scrapes the port of the dashboard with the metrics token, and names the rules', () => {
    const { scrape_configs, rule_files } = parse(read('prometheus.yml'))
    expect(scrape_configs).toEqual([
      {
        job_name: 'custom-connection',
        scheme: 'http',
        authorization: { credentials_file: '/etc/prometheus/custom-connection-token' },
        static_configs: [{ targets: ['127.0.0.1:8788'] }],
      },
    ])
    expect(read('prometheus-rules.yml')).toContain(rule_files[0])
    expect(rules[0]?.expr).toContain(`job="${scrape_configs[0].job_name}"`)
  })
})

describe('the dashboard of Grafana', () => {
  it.each(panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr }))))(
    '$title has series and labels that there are: $expr',
    ({ expr }) => expectKnown(expr),
  )

  it('chooses among the jobs that scrape a service', () => {
    expect(JSON.stringify(dashboard.templating)).toContain('label_values(custom_connection_build_info, job)')
  })

  it('has panels with ids of their own, none over another', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    for (const { targets } of panels)
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length)
  })
})

describe('the files of load balancers', () => {
  it.each([
    ['nginx.conf', /location = \/metrics \{\s+return 403;/],
    ['Caddyfile', /handle \/metrics \{\s+respond 403/],
    ['haproxy.cfg', /http-request deny if \{ path,url_dec \/metrics \}/],
  ])('%s refuses the metrics, which are those of one node', (file, refusal) => {
    const [, privatePart = ''] = read(file).split('# The dashboard and REST')
    expect(privatePart).toMatch(refusal)
  })
})
