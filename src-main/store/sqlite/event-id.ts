const pattern = /^evt_[0-9a-z]{11}$/
const prefixLength = 4
const digits = 11

/** @returns the row key of an event id: its base-36 number; null when it is no event id or beyond 2^53. */
export function seqOf(eventId: string): number | null {
  if (!pattern.test(eventId)) return null
  const seq = Number.parseInt(eventId.slice(prefixLength), 36)
  return Number.isSafeInteger(seq) ? seq : null
}

export function eventIdOf(seq: number): string {
  return `evt_${seq.toString(36).padStart(digits, '0')}`
}
