import { isExact } from '#shared/json/exact-number.ts'
import { walkJson } from '#shared/json/walk-json.ts'
import type { JsonPath } from './json-path.ts'
import { type Problem, ProblemList, problem, warning } from './problem.ts'
import { holdsSigningSecret } from './signing-secrets.ts'

/** Levels of nesting that a document may have (decisions: Inbound, depth). */
export const maxDepth = 1000

export type Inspected = {
  readonly problems: readonly Problem[]
  /** Where the text goes deeper than is read; null where it does not. */
  readonly tooDeepAt: number | null
  readonly holdsSecret: boolean
}

/**
 * What only the text of a valid JSON document tells: that it is nested too deep, keys that come twice, a
 * signing secret in any text, numbers that JavaScript cannot hold. One pass, and no stack to overflow.
 */
export function inspectJson(text: string): Inspected {
  const problems = new ProblemList()
  const path: (string | number)[] = []
  /** The keys seen in each open object; null for an array. */
  const open: (Set<string> | null)[] = []
  let tooDeepAt: number | null = null
  let holdsSecret = false

  const at = (step: string | number | null): JsonPath => (step === null ? [...path] : [...path, step])
  walkJson(text, {
    key(name) {
      // The document is refused as a whole, and each path down there would be as long as the text.
      if (tooDeepAt !== null) return
      const keys = open.at(-1)
      if (holdsSigningSecret(name)) {
        holdsSecret = true
        problems.addOne('error', () => ({ ...problem(at(name), secretSentence), atKey: true }))
      } else if (keys?.has(name) === true)
        problems.addOne('warning', () => ({ ...warning(at(name), twice(name)), atKey: true }))
      keys?.add(name)
    },
    value(step, kind, offset, source) {
      if (tooDeepAt !== null) return
      if (kind === 'string' && holdsSigningSecret(source)) {
        holdsSecret = true
        problems.addOne('error', () => problem(at(step), secretSentence))
      }
      // A sample payload keeps its numbers as they are written.
      if (kind === 'number' && step !== 'samplePayload' && !path.includes('samplePayload')) {
        const found = numberProblem(source)
        if (found !== null) problems.addOne(found.severity, () => ({ path: at(step), ...found }))
      }
      if (kind !== 'object' && kind !== 'array') return
      if (open.length >= maxDepth) tooDeepAt ??= offset
      open.push(kind === 'object' ? new Set() : null)
      if (step !== null) path.push(step)
    },
    leave() {
      if (tooDeepAt !== null) return
      open.pop()
      path.pop()
    },
  })
  return { problems: problems.all(), tooDeepAt, holdsSecret }
}

const twice = (name: string) => `The key ${JSON.stringify(name)} is there twice; the last one counts.`
const secretSentence =
  'This holds a signing secret (whsec_…). Take it out: secrets are made by the service and never imported.'

function numberProblem(source: string): Omit<Problem, 'path'> | null {
  // Fifteen digits always survive; so do the short numbers that nearly all are.
  if (source.length <= 15 && !/[eE]/.test(source)) return null
  const value = Number(source)
  if (!Number.isFinite(value)) return { severity: 'error', message: 'This number is too large to be kept.' }
  if (isExact(source, value)) return null
  const message = `This number is kept as ${value}; write it as a text if every digit counts.`
  return { severity: 'warning', message }
}
