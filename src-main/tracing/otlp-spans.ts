import { setTimeout as delay } from 'node:timers/promises'
import { type HrTime, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { Span, SpanSink, TraceRoot } from '#main/workflows/run-spans.ts'

export type SpanExportOptions = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The version of this program. */
  readonly version: string
  readonly warn: (message: string) => void
}

export type SpanExport = {
  readonly sink: SpanSink
  /** Returns how many spans were lost: the queue was full, or the receiver has not taken them. */
  dropped(): number
  /** Exports what waits, for at most two seconds. */
  stop(): Promise<void>
}

/** How many spans wait. More are dropped. */
export const mostWaiting = 2048
const stopMs = 2000

/**
 * Opens the export over OTLP, as the environment of the process says. Returns null if its endpoint is not a URL.
 *
 * The spans are made by `run-spans.ts`, because their ids must be the same after a restart.
 */
export function openSpanExport({ env, version, warn }: SpanExportOptions): SpanExport | null {
  const url = urlOf(env)
  if (url === null) {
    warn('Traces are not exported: the endpoint must be a URL that begins with http:// or https://.')
    return null
  }
  const sampler = samplerOf(env, warn)
  const exporter = new OTLPTraceExporter({ url })
  let [waiting, lost] = [0, 0]
  const counting: SpanExporter = {
    export(spans, done) {
      waiting -= spans.length
      exporter.export(spans, result => {
        if (result.code !== 0) lost += spans.length
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
  const processor = new BatchSpanProcessor({ exporter: counting, maxQueueSize: mostWaiting })
  const known = { 'service.name': 'custom-connection', 'service.version': version }
  const resource = resourceFromAttributes(known).merge(
    detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }),
  )
  const shared = {
    ...{ resource, instrumentationScope: { name: 'custom-connection', version } },
    ...{ links: [], events: [], ended: true },
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  }
  return {
    sink: {
      isSampled: root => isSampled(sampler, root),
      add(span) {
        if (waiting >= mostWaiting) {
          lost++
          return
        }
        waiting++
        processor.onEnd({ ...shared, ...readable(span) })
      },
    },
    dropped: () => lost,
    async stop() {
      await Promise.race([processor.shutdown().catch(() => {}), delay(stopMs, undefined, { ref: false })])
    },
  }
}

/** Returns a span as the library has it, without what all have in common. */
function readable({ name, traceId, spanId, parentId, isParentRemote, ...span }: Span) {
  const traceFlags = TraceFlags.SAMPLED
  const { startedAt, endedAt, attributes, hasFailed } = span
  const status = { code: hasFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET }
  return {
    ...{ name, attributes: { ...attributes }, status, kind: kinds[name] },
    spanContext: () => ({ traceId, spanId, traceFlags }),
    ...(parentId !== null && {
      parentSpanContext: { traceId, spanId: parentId, traceFlags, isRemote: isParentRemote },
    }),
    startTime: hrTime(startedAt),
    endTime: hrTime(endedAt),
    duration: hrTime(Math.max(0, endedAt - startedAt)),
  } satisfies Partial<ReadableSpan>
}

const kinds: Readonly<Record<Span['name'], SpanKind>> = {
  event: SpanKind.SERVER,
  run: SpanKind.INTERNAL,
  step: SpanKind.INTERNAL,
  call: SpanKind.CLIENT,
}

const hrTime = (ms: number): HrTime => [Math.floor(ms / 1000), (ms % 1000) * 1_000_000]

/** Decides for the whole trace, since a part of it may be carried out by another process. */
function isSampled(sampler: Sampler, { traceId, sender }: TraceRoot): boolean {
  const context =
    sender === null
      ? ROOT_CONTEXT
      : trace.setSpanContext(ROOT_CONTEXT, {
          ...{ traceId, spanId: sender.spanId, isRemote: true },
          traceFlags: sender.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
        })
  const { decision } = sampler.shouldSample(context, traceId, 'event', SpanKind.SERVER, {}, [])
  return decision === SamplingDecision.RECORD_AND_SAMPLED
}

const samplers: Readonly<Record<string, (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: ratio => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: ratio => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
}
const usual = 'parentbased_always_on'

function samplerOf(env: SpanExportOptions['env'], warn: SpanExportOptions['warn']): Sampler {
  const name = env.OTEL_TRACES_SAMPLER?.trim() || usual
  const isKnown = Object.hasOwn(samplers, name)
  if (!isKnown) warn(`OTEL_TRACES_SAMPLER is not known, so ${usual} is used.`)
  const text = env.OTEL_TRACES_SAMPLER_ARG?.trim()
  const ratio = text ? Number(text) : 1
  const isRatio = ratio >= 0 && ratio <= 1
  if (!isRatio) warn('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, so 1 is used.')
  const create = samplers[isKnown ? name : usual]
  return create?.(isRatio ? ratio : 1) ?? new AlwaysOnSampler()
}

function urlOf(env: SpanExportOptions['env']): string | null {
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT ?? ''
  const url = URL.parse(own || `${base.replace(/\/$/, '')}/v1/traces`)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}
