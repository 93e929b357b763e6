import { sha256Hex } from '#main/lib/sha256-hex.ts'
import { withoutTurning } from '#shared/model/text.ts'
import { asciiWords, deriveToolName } from '#shared/model/tool-name.ts'

/**
 * Cuts a text to at most `limit` UTF-16 units. A cut text ends with an ellipsis. Characters that turn the direction of
 * text are left out, because no name may have them.
 */
export function cut(given: string, limit: number): string {
  const text = withoutTurning(given)
  return text.length <= limit
    ? text
    : `${text
        .slice(0, limit - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`
}

const maxPrefix = 40

/** Returns the start of the names of an API's environment variables: `PET_STORE`. */
export function variablePrefix(title: string): string {
  const words = deriveToolName(title, sha256Hex).toUpperCase().slice(0, maxPrefix)
  return words.replace(/_+$/, '')
}

/** Converts a header to a part of a variable's name: `X-Api-Key` to `X_API_KEY`. */
export function variablePart(name: string): string {
  return asciiWords(name.toUpperCase()).join('_').slice(0, maxPrefix)
}

/** Returns a function that derives a unique tool name from each name: `list_pets`, `list_pets_2` … */
export function createToolNames(): (name: string) => string {
  const taken = new Set<string>()
  const next = new Map<string, number>()
  return name => {
    const base = deriveToolName(name, sha256Hex)
    let number = next.get(base) ?? 1
    let candidate = base
    while (taken.has(candidate)) {
      number++
      const suffix = `_${number}`
      candidate = base.slice(0, 64 - suffix.length) + suffix
    }
    next.set(base, number)
    taken.add(candidate)
    return candidate
  }
}

/** Merges headers, ignoring the case of their names. The later ones take precedence. */
export function mergeHeaders(
  first: Readonly<Record<string, string>>,
  later: Readonly<Record<string, string>>,
): Record<string, string> {
  const byName = new Map<string, readonly [name: string, value: string]>()
  for (const entry of [...Object.entries(first), ...Object.entries(later)])
    byName.set(entry[0].toLowerCase(), entry)
  return Object.fromEntries(byName.values())
}
