import type { FastifyInstance } from 'fastify'
import type { Metrics } from '#main/metrics/metrics.ts'
import type { MetricsTokens } from '#main/metrics/metrics-tokens.ts'
import { watchProcess } from '#main/metrics/process-watch.ts'
import { type PageFormat, pageTypes } from '#main/metrics/write-page.ts'
import { type Authority, bearerOf } from './authorization.ts'
import { refuse } from './errors.ts'

type MetricsParts = {
  readonly metrics: Metrics
  readonly metricsTokens: MetricsTokens
  readonly authority: Authority
}

/** Serves `GET /metrics` to those who have the token of the metrics or the admin token. */
export function serveMetrics(
  app: FastifyInstance,
  { metrics, metricsTokens, authority }: MetricsParts,
): void {
  const process = watchProcess()
  app.addHook('onClose', async () => process.stop())
  app.get('/metrics', async (request, reply) => {
    const isRight = metricsTokens.isRight(bearerOf(request) ?? '') || authority.isAuthorized(request)
    if (!isRight) return refuse(reply, authority.refusal(request, reply))
    metricsTokens.scraped()
    const format = formatFor(request.headers.accept)
    return reply.type(pageTypes[format]).send(await metrics.page(format, process))
  })
}

/** Returns OpenMetrics if an Accept header names it, whatever else it names: scrapers that know it prefer it. */
export function formatFor(accept: string | undefined): PageFormat {
  const takesOpenMetrics = (accept ?? '').split(',').some(range => {
    const [type = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase())
    const isRefused = parameters.some(parameter => /^q=0(?:\.0*)?$/.test(parameter))
    return type === 'application/openmetrics-text' && !isRefused
  })
  return takesOpenMetrics ? 'openmetrics' : 'text'
}
