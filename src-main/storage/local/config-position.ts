import { crc32 } from 'node:zlib'
import { z } from 'zod'

/** A place in the history of a configuration: what a file has, or what a change follows. */
export type Position = {
  /** Random, of the folder in which the history began. */
  readonly lineage: string
  /** How many changes there were. */
  readonly version: number
  /** When the last of them was made: ISO 8601, UTC. */
  readonly at: string
  /** The checksum of that change. A copy of the folder that has gone its own way has another one. */
  readonly seal: string
}

const positionText = /^([0-9a-f]{8}) (\d{1,15}) ([0-9a-f]{8}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/

/** Returns the first position of a new history. @param lineage 8 random hexadecimal digits. @param now in ms since 1970. */
export function firstPosition(lineage: string, now: number): Position {
  return { lineage, version: 0, at: new Date(now).toISOString(), seal: lineage }
}

/** Returns a position as one line of text. */
export function textOf({ lineage, version, seal, at }: Position): string {
  return `${lineage} ${version} ${seal} ${at}`
}

/** Parses the text of a position. Returns null if it is none. */
export function parsePosition(text: string): Position | null {
  const [, lineage, version, seal, at] = positionText.exec(text) ?? []
  if (lineage === undefined || version === undefined || seal === undefined || at === undefined) return null
  return { lineage, version: Number(version), at, seal }
}

export const PositionText = z.string().transform((text, context) => {
  const position = parsePosition(text)
  if (position !== null) return position
  context.addIssue({ code: 'custom', message: 'must be a position' })
  return z.NEVER
})

/** Returns a checksum of 8 hexadecimal digits. @param before the checksum of the bytes before these, as a number. */
export function checksum(bytes: Uint8Array, before = 0): string {
  return hexOf(crc32(bytes, before))
}

export const hexOf = (sum: number) => sum.toString(16).padStart(8, '0')

/** A position, and the checksum of what is before it. */
const checkedText = /^(.*) ([0-9a-f]{8})$/

/** Returns a position with its checksum, as the mark beside a file has it. */
export function checkedTextOf(position: Position): string {
  const text = textOf(position)
  return `${text} ${checksum(Buffer.from(text))}`
}

/** Parses what `checkedTextOf` returns. Returns null if it is not as it was written. */
export function parseCheckedText(text: string): Position | null {
  const [, content = '', sum] = checkedText.exec(text) ?? []
  return checksum(Buffer.from(content)) === sum ? parsePosition(content) : null
}

/*
 * The last entry of the configuration file, `written`: the position that it has, and the checksum of all bytes before
 * the checksum. It is the last one, so that the file is not JSON any more if its line is lost. A file without it was
 * written by an earlier version, or by hand.
 */

const writtenKey = ',\n  "written": "'
const writtenEnd = '"\n}\n'
const sumLength = 8

/** Returns the end of a file, up to its checksum. */
export const writtenBefore = (position: Position) => `${writtenKey}${textOf(position)} `

/** Returns the end of a file from its checksum on. */
export const writtenAfter = (sum: number) => `${hexOf(sum)}${writtenEnd}`

/** Returns the position of a file from the value of its last entry; null if it has none. */
export function writtenPosition(written: unknown): Position | null {
  return typeof written === 'string' ? parsePosition(written.slice(0, -1 - sumLength)) : null
}

/** Returns whether a file with that entry is as it was written. */
export function isAsWritten(file: Buffer): boolean {
  const sumAt = file.length - writtenEnd.length - sumLength
  if (sumAt < 0 || file.toString('latin1', sumAt + sumLength) !== writtenEnd) return false
  return file.toString('latin1', sumAt, sumAt + sumLength) === checksum(file.subarray(0, sumAt))
}
