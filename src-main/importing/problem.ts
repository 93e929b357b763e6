import type { z } from 'zod'
import { codeOf, type Issue } from '#shared/model/issue.ts'
// Words the issues.
import '#shared/model/issue-sentences.ts'

const signingSecret = /whsec_[A-Za-z0-9+/_=-]+/g

/** Whether a text holds what has the form of a signing secret; speaking of the prefix alone does not. */
export function holdsSigningSecret(text: string): boolean {
  return text.search(signingSecret) !== -1
}

/** The text without signing secrets, for whatever is shown. */
export function hideSecrets(text: string): string {
  return text.replace(signingSecret, 'whsec_…')
}

/** Steps from the root of a JSON value to a value in it: keys and indices. */
export type JsonPath = readonly (string | number)[]

/**
 * A path as people write it: `actions[0].headers["X-Key"]`; empty for the root. A signing secret that
 * somebody used as a key is not repeated.
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

/** One thing to say of a document, at a path of it. Where in its text that is, is found out at the end. */
export type Problem = {
  readonly path: JsonPath
  readonly message: string
  readonly severity: Severity
  /** The place to show is the key at the end of the path, and not its value. */
  readonly atKey?: boolean
  /** Where it is, if that is known already: of a text that has no values yet, or no longer the same ones. */
  readonly offset?: number
  readonly code?: Issue['code']
  /** The environment variable that it asks to be set. */
  readonly variable?: string
  /** It stands for so many more of its severity that are not listed. */
  readonly count?: number
}

export function problem(path: JsonPath, message: string): Problem {
  return { path, message, severity: 'error' }
}

export function warning(path: JsonPath, message: string): Problem {
  return { path, message, severity: 'warning' }
}

export function hasErrors(problems: readonly { readonly severity: Severity }[]): boolean {
  return problems.some(({ severity }) => severity === 'error')
}

/** Of each severity; nobody reads more, and a hostile document has millions. */
const maxListed = 1000

/** Collects problems, the first 1,000 of each severity; how many more there are is said at the end. */
export class ProblemList {
  readonly #listed: Problem[] = []
  readonly #counts = { error: 0, warning: 0 }

  add(problems: Iterable<Problem>): void {
    for (const one of problems) {
      if (one.count !== undefined) this.#counts[one.severity] += one.count
      else this.addOne(one.severity, () => one)
    }
  }

  /** @param found is asked only if there is room for it. */
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

/** Returns what a schema finds wrong with the value at `path`, in plain sentences. */
export function zodProblems(error: z.ZodError, path: JsonPath): Problem[] {
  return error.issues.map(issue => {
    const steps = issue.path.map(step => (typeof step === 'symbol' ? String(step) : step))
    return { ...problem([...path, ...steps], issue.message), ...codeOf(issue) }
  })
}
