import { inboundErrors } from '#shared/errors/inbound.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import { checkTimestamp } from './verify.ts'

const day = 86_400_000

/**
 * What is wrong with the timestamp header by itself, null if it would pass. There is a code for seconds,
 * recognised within a day of the clock, with or without decimals; the rest is `unknown` with a message.
 *
 * @param nowMs ms since 1970
 */
export function judgeTimestamp(header: string | undefined, nowMs: number): Diagnosis | null {
  const refusal = checkTimestamp(header, nowMs)
  switch (refusal) {
    case null:
      return null
    case 'invalid_timestamp':
      return isNear(header, 1000, nowMs) ? inSeconds : unknown(describeInvalid(header, nowMs))
    case 'stale_timestamp':
      return isNear(header, 1000, nowMs) ? inSeconds : unknown(describeStale(Number(header), nowMs))
    default:
      return unknown(inboundErrors[refusal].remedy)
  }
}

const inSeconds: Diagnosis = {
  code: 'timestamp_in_seconds',
  message:
    'The timestamp is in seconds; send and sign milliseconds since 1970 as whole decimal digits, 13 of them at present.',
}

function describeInvalid(header: string | undefined, nowMs: number): string {
  const must = 'the timestamp must be milliseconds since 1970 in decimal digits'
  if (isNear(header, 1, nowMs)) return `The timestamp is not a whole number; ${must} and nothing else.`
  if (isNear(header, 1e-3, nowMs)) return `The timestamp is in microseconds; ${must}.`
  if (isNear(header, 1e-6, nowMs)) return `The timestamp is in nanoseconds; ${must}.`
  if (/^\d{4}-\d\d/.test(header ?? '')) return `The timestamp is a date; ${must}.`
  return `The timestamp cannot be read; ${must}, at most 15 of them.`
}

function describeStale(timestamp: number, nowMs: number): string {
  const seconds = Math.round(Math.abs(nowMs - timestamp) / 1000)
  const side = timestamp < nowMs ? 'behind' : 'ahead of'
  return `The timestamp is ${seconds} seconds ${side} the clock of this service; check the sender's clock, and take a fresh timestamp for each request.`
}

function isNear(header: string | undefined, unitMs: number, nowMs: number): boolean {
  if (header === undefined || !/^ *\+?\d+(\.\d*)?(e\+?\d+)? *$/i.test(header)) return false
  return Math.abs(Number(header) * unitMs - nowMs) <= day
}

function unknown(message: string): Diagnosis {
  return { code: 'unknown', message }
}
