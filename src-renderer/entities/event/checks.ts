import { dayMs } from '#shared/durations.ts'
import { type InboundStep, inboundErrorOf, inboundSteps } from '#shared/errors/inbound.ts'
import { timestampsIn } from '#shared/model/sender/header-values.ts'
import { type Sender, templatesOf } from '#shared/model/sender/sender.ts'
import { formatBytes, formatNumber, formatTenths } from '../../ui/format.ts'

export type Check = {
  readonly name: string
  readonly state: 'passed' | 'failed' | 'not reached'
  /** Such as the age of the timestamp. */
  readonly detail?: string
}

/** The name of each check, and its detail for a request that never reached it. */
const checks: Readonly<Record<InboundStep, { readonly name: string; readonly unreached?: string }>> = {
  request: { name: 'Request' },
  token: { name: 'Token known' },
  enabled: { name: 'Connection enabled' },
  size: { name: 'Encoding and size' },
  timestamp: { name: 'Timestamp' },
  signature: { name: 'Signature' },
  body: { name: 'Body', unreached: 'not read' },
  stored: { name: 'Stored', unreached: 'not stored' },
  trigger: { name: 'Trigger', unreached: 'not raised' },
}

/**
 * Returns the checks that a refused request passed, the one it failed, and those it never reached; none for an unknown
 * code, as of a later version.
 *
 * @param isStored whether the connection stores its events, so that storing is a step.
 * @param age of the request's timestamp in words; null without a timestamp, undefined if the request is not known.
 */
export function rejectionChecks(
  code: string,
  isStored: boolean,
  age: string | null | undefined,
): readonly Check[] {
  const failedStep = inboundErrorOf(code)?.step
  if (failedStep === undefined) return []
  const failed = inboundSteps.indexOf(failedStep)
  return inboundSteps.flatMap((step, index): Check[] => {
    const { name, unreached = 'not checked' } = checks[step]
    const isFailed = index === failed
    if (!isFailed && (step === 'request' || (step === 'stored' && !isStored))) return []
    // A signature that is missing or sent twice is detected before the timestamp is checked.
    const isUnchecked = step === 'timestamp' && (code === 'missing_signature' || age === null)
    const isSkipped = index > failed || (isUnchecked && !isFailed)
    if (isSkipped) return [{ name, state: 'not reached', detail: unreached }]
    const check = { name, state: isFailed ? 'failed' : 'passed' } as const
    return [step === 'timestamp' && age != null ? { ...check, detail: age } : check]
  })
}

/**
 * Returns the checks that an accepted request passed.
 *
 * @param sender of its connection as it is now; null if that is not known, and then neither are these two checks.
 * @param age of the request's timestamp in words, if it is known.
 */
export function passedChecks(sender: Sender | null, age?: string | null): readonly Check[] {
  const templates = sender === null ? [] : templatesOf(sender)
  const made: Readonly<Partial<Record<InboundStep, boolean>>> = {
    ...{ request: false, stored: false, trigger: false },
    timestamp: templates.some(({ timestamp }) => timestamp != null),
    signature: templates.some(({ verify }) => verify !== 'none'),
  }
  return inboundSteps.flatMap((step): Check[] => {
    if (made[step] === false) return []
    const check = { name: checks[step].name, state: 'passed' } as const
    return [step === 'timestamp' && age != null ? { ...check, detail: age } : check]
  })
}

/** The size of a refused request's body, and why none of it is shown: “3 bytes”, “1.1 MB announced”. */
export type BodySize = { readonly size: string; readonly absence: string }

/** @param bytes received. */
export function bodySize(bytes: number, headers: readonly (readonly [string, string])[]): BodySize {
  const announced = Number(headerOf(headers, 'content-length') ?? 0)
  if (bytes === 0 && announced > 0)
    return {
      size: `${formatBytes(announced)} announced`,
      absence: 'The body was refused before it was read.',
    }
  const absence = bytes === 0 ? 'The request had no body.' : 'The body is no longer stored.'
  return { size: formatBytes(bytes), absence }
}

/** “0.2 s old”, “6 min ahead”, “2 years old”. */
function ageWords(ageMs: number): string {
  const seconds = Math.abs(ageMs) / 1000
  const direction = ageMs < 0 ? 'ahead' : 'old'
  if (seconds < 0.1) return `${Math.abs(ageMs)} ms ${direction}`
  const [value, unit] =
    seconds < 60
      ? [seconds < 10 ? formatTenths(seconds) : formatNumber(Math.round(seconds)), 's']
      : seconds < 7200
        ? [Math.round(seconds / 60), 'min']
        : seconds < 172_800
          ? [Math.round(seconds / 3600), 'h']
          : seconds < 63_072_000
            ? [Math.round(seconds / 86_400), 'days']
            : [Math.round(seconds / 31_557_600), 'years']
  return `${value} ${unit} ${direction}`
}

/**
 * Returns how old a request's own timestamp was at its arrival, or that it is in the wrong unit; null without one.
 *
 * @param at ISO 8601.
 */
export function timestampWords(
  at: string,
  headers: readonly (readonly [string, string])[],
  sender: Sender,
): string | null {
  const [{ timestampUnit: unit }] = templatesOf(sender)
  const timestamp = templatesOf(sender)
    .flatMap(template =>
      timestampsIn(headerOf(headers, template.timestampHeader?.toLowerCase() ?? '') ?? '', template),
    )
    .find(text => /^\d{1,15}$/.test(text))
  if (timestamp === undefined) return null
  const arrived = Date.parse(at)
  const inMs = Number(timestamp)
  // The same bound as that of the diagnosis.
  const isNear = (ms: number) => Math.abs(ms - arrived) <= dayMs
  if (unit === 'ms' && isNear(inMs * 1000)) return 'in seconds, not milliseconds'
  if (unit === 's' && isNear(inMs)) return 'in milliseconds, not seconds'
  return ageWords(arrived - (unit === 's' ? inMs * 1000 : inMs))
}

/** Returns the value of a header; undefined if it is missing. @param wanted in lower case. */
export function headerOf(
  headers: readonly (readonly [string, string])[],
  wanted: string,
): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
}
