import type { z } from 'zod'
import type { JsonPath } from '#shared/json/locate.ts'
import { codeOf, type Issue } from '#shared/model/issue.ts'
// Words the issues.
import '#shared/model/issue-sentences.ts'

const signingSecret = /whsec_[A-Za-z0-9+/_=-]+/g

/** Returns whether a text contains a signing secret. The prefix alone is none. */
export function holdsSigningSecret(text: string): boolean {
  return text.search(signingSecret) !== -1
}

/** Removes signing secrets from a text. */
export function hideSecrets(text: string): string {
  return text.replace(signingSecret, 'whsec_…')
}

/**
 * Formats a path for people: `actions[0].headers["X-Key"]`; empty for the root. Hides a signing secret in a key.
 */
export function formatPath(path: JsonPath): string {
  const text = path
    .map(step => {
      if (typeof step === 'number') return `[${step}]`
      return /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
    })
    .join('')
  return hideSecrets(text.replace(/^\./, ''))
}

type Severity = 'error' | 'warning'

/** A problem at a path of a document. Its position in the text is found at the end. */
export type Problem = {
  readonly path: JsonPath
  readonly message: string
  readonly severity: Severity
  /** Its position is the last key of the path instead of the value. */
  readonly atKey?: boolean
  /** Its offset, if already known. */
  readonly offset?: number
  readonly code?: Issue['code']
  /** The environment variable to set. */
  readonly variable?: string
  /** The number of further problems of its severity that are not listed. */
  readonly count?: number
}

export function problem(path: JsonPath, message: string): Problem {
  return { path, message, severity: 'error' }
}

export function warning(path: JsonPath, message: string): Problem {
  return { path, message, severity: 'warning' }
}

/** Reports forbidden keys as errors. Unknown ones are warnings, because they may be from a later version. */
export function keyProblems(
  value: object,
  path: JsonPath,
  knownKeys: ReadonlySet<string>,
  forbiddenKeys: ReadonlySet<string> = new Set(),
): Problem[] {
  return Object.keys(value).flatMap(key => {
    if (knownKeys.has(key)) return []
    const at = [...path, key]
    if (forbiddenKeys.has(key)) {
      const message = `An import document must not contain ${key}: the service generates credentials itself.`
      return [{ ...problem(at, message), atKey: true }]
    }
    return [{ ...warning(at, `The unknown key ${JSON.stringify(key)} is ignored.`), atKey: true }]
  })
}

export function hasErrors(problems: readonly { readonly severity: Severity }[]): boolean {
  return problems.some(({ severity }) => severity === 'error')
}

/** Listed problems of each severity. A hostile document has millions. */
const maxListed = 1000

/** Collects the first 1,000 problems of each severity and counts the rest. */
export class ProblemList {
  readonly #listed: Problem[] = []
  readonly #counts = { error: 0, warning: 0 }

  add(problems: Iterable<Problem>): void {
    for (const one of problems) {
      if (one.count !== undefined) this.#counts[one.severity] += one.count
      else this.addOne(one.severity, () => one)
    }
  }

  /** Adds a problem. @param found is called only if the problem is listed. */
  addOne(severity: Severity, found: () => Problem): void {
    if (++this.#counts[severity] <= maxListed) this.#listed.push(found())
  }

  all(): Problem[] {
    const more = (['error', 'warning'] as const).flatMap(severity => {
      const count = this.#counts[severity] - maxListed
      return count <= 0
        ? []
        : [{ path: [], message: `There are ${count} more ${severity}s.`, severity, count }]
    })
    return [...this.#listed, ...more]
  }
}

/** Converts the issues of a schema at `path`. */
export function zodProblems(error: z.ZodError, path: JsonPath): Problem[] {
  return error.issues.map(issue => {
    const steps = issue.path.map(step => (typeof step === 'symbol' ? String(step) : step))
    return { ...problem([...path, ...steps], issue.message), ...codeOf(issue) }
  })
}
