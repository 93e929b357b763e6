/** +0.4 s, −1 min 52 s: how far a clock is off. */
export function signedTime(ms: number): string {
  const time = spokenTime(Math.abs(ms))
  if (time === '0.0 s') return time
  return `${ms < 0 ? '−' : '+'}${time}`
}

/** 0.4 s, 1 min 52 s. */
export function spokenTime(ms: number): string {
  if (ms < 59_950) return `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
