import { parseHeaderLines } from '#main/inbound/signed-headers.ts'
import type { HeaderMap } from '#main/outbound/header-values.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'

/** The headers of W3C Trace Context that an event came with. */
export type TraceContext = {
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

const none: TraceContext = {}
/** Finds the header without reading the others: most events have none. */
const isThere = /^traceparent: /im
/** Versions after 00 may add fields, which are sent on as they are. */
const valid =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-[\x21-\x7e]{0,200})?$/
const lengthOfFirstVersion = 55
const maxState = 512
const printable = /^[\x20-\x7e\t]+$/

/** Returns the trace that an event belongs to; nothing if its `traceparent` is missing, repeated or not valid. */
export function traceContextOf(headerLines: string): TraceContext {
  if (!isThere.test(headerLines)) return none
  const headers = parseHeaderLines(headerLines)
  const valuesOf = (name: string) =>
    headers.flatMap(([header, value]) => (header.toLowerCase() === name ? [value.trim()] : []))
  const [traceparent = '', ...others] = valuesOf('traceparent')
  if (others.length > 0 || !isTraceparent(traceparent)) return none
  const tracestate = valuesOf('tracestate').join(',')
  return tracestate.length <= maxState && printable.test(tracestate)
    ? { traceparent, tracestate }
    : { traceparent }
}

/** Returns the trace that the runs of an event belong to. A replay is an act of its own, so it has none. */
export const traceContextOfEvent = ({
  headerLines,
  replayOf,
}: Pick<LoggedEvent, 'headerLines' | 'replayOf'>) => (replayOf === null ? traceContextOf(headerLines) : none)

const isTraceparent = (text: string) =>
  valid.test(text) && (text.length === lengthOfFirstVersion || !text.startsWith('00'))

/** Returns the headers that send a trace on; none if the request has its own. @param own all headers of the request. */
export function traceHeaders(
  { traceparent, tracestate }: TraceContext,
  ...own: Readonly<HeaderMap>[]
): HeaderMap {
  if (traceparent === undefined) return {}
  const names = new Set(own.flatMap(headers => Object.keys(headers).map(name => name.toLowerCase())))
  // The state belongs to the parent beside it.
  if (names.has('traceparent')) return {}
  return tracestate === undefined || names.has('tracestate') ? { traceparent } : { traceparent, tracestate }
}
