/** Returns a number with its noun: `1 action`, `2 actions`. */
export function plural(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
