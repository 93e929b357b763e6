import { createRunSpans, type RunSpans } from '#main/workflows/run-spans.ts'
import type { SpanExport, SpanExportOptions } from './otlp-spans.ts'

/** The export of spans. */
export type Tracing = Pick<SpanExport, 'dropped' | 'stop'> & {
  /** Undefined if no spans are exported. */
  readonly spans: RunSpans | undefined
}

type TracingOptions = SpanExportOptions & {
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

const off: Tracing = { spans: undefined, dropped: () => 0, stop: async () => {} }

/** Opens the export of spans that the environment asks for. Nothing of it is loaded without an endpoint. */
export async function openTracing({ env, version, clock, warn }: TracingOptions): Promise<Tracing> {
  const isSet = [env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, env.OTEL_EXPORTER_OTLP_ENDPOINT].some(Boolean)
  if (!isSet || env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return off
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/json'
  if (protocol.trim() !== 'http/json') {
    warn('Traces are not exported: OTEL_EXPORTER_OTLP_PROTOCOL must be http/json.')
    return off
  }
  const { openSpanExport } = await import('./otlp-spans.ts')
  const opened = openSpanExport({ env, version, warn })
  if (opened === null) return off
  const { sink, dropped, stop } = opened
  return { spans: createRunSpans(sink, clock), dropped, stop }
}
