import { environmentNameIn } from './scope.ts'
import { kindOf, type Step } from './steps/kinds.ts'
import { variablesIn } from './templates.ts'

const known = new WeakMap<Step, readonly string[]>()

/** Returns the environment variables that a step inserts with `$env`, each once; none for a step that may not. */
export function environmentOf(step: Step): readonly string[] {
  const before = known.get(step)
  if (before !== undefined) return before
  const { takesSecrets, texts } = kindOf(step)
  const written = takesSecrets ? texts(step).filter(({ text }) => text.includes('$env')) : []
  const names = written.flatMap(({ text }) => variablesIn(text).map(({ path }) => environmentNameIn(path)))
  const found = [...new Set(names.filter(name => name !== null))]
  known.set(step, found)
  return found
}

/** Returns whether nothing of a step is shown: also of one whose output would have an environment variable. */
export function isPrivate(step: Step): boolean {
  return step.private === true || (kindOf(step).does === 'decide' && environmentOf(step).length > 0)
}
