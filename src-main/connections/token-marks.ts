import type { RandomBytes } from './identifiers.ts'

export type TokenMarks = ReturnType<typeof createTokenMarks>

/**
 * Creates marks: texts that stand for the values of variables in headers that are written before a token is fetched. They
 * have 128 random bits, so that no event contains one.
 */
export function createTokenMarks(random: RandomBytes) {
  const start = `token-${random(16).toString('hex')}-`
  const pattern = new RegExp(`${start}([A-Za-z_][A-Za-z0-9_]{0,127});`, 'g')
  return {
    markOf: (name: string) => `${start}${name};`,
    /** Returns the variables in headers by their marks; undefined for none. */
    marksIn(headers: Readonly<Record<string, string>>): ReadonlyMap<string, string> | undefined {
      const found = Object.values(headers)
        .flatMap(value => [...value.matchAll(pattern)])
        .map(([mark, name = '']): [string, string] => [mark, name])
      return found.length === 0 ? undefined : new Map(found)
    },
  }
}
