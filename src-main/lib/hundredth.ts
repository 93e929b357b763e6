/** Rounds to a hundredth. */
export function hundredth(value: number): number {
  return Math.round(value * 100) / 100
}
