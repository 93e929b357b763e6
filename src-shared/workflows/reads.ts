import { parsePath } from '../model/variable-path.ts'
import type { WorkflowFields } from '../model/workflow.ts'
import { conditionTexts } from './steps/branch.ts'
import { kindOf, walkSteps } from './steps/kinds.ts'
import { type PlacedText, textsIn } from './steps/step-kind.ts'
import { variablesIn } from './templates.ts'

type Reader = Pick<WorkflowFields, 'trigger' | 'steps'>

/** Returns whether a workflow reads a field of its event, something inside it, or what it is in. @param path of the field. */
export function readsField(workflow: Reader, path: string): boolean {
  const field = parsePath(path)
  if (field === null) return false
  for (const read of pathsRead(workflow)) {
    const steps = parsePath(read) ?? []
    const common = Math.min(steps.length, field.length)
    if (common > 0 && steps.slice(0, common).every((step, index) => step === field[index])) return true
  }
  return false
}

function* pathsRead({ trigger, steps }: Reader): Generator<string> {
  const texts: (readonly Pick<PlacedText, 'text' | 'as'>[])[] = [
    trigger.when === undefined ? [] : conditionTexts(trigger.when, []),
    trigger.once === undefined ? [] : textsIn(trigger.once.key),
  ]
  for (const { step } of walkSteps(steps)) texts.push(kindOf(step).texts(step))
  for (const { text, as } of texts.flat()) {
    if (as === 'name') yield text
    else for (const { path } of variablesIn(text)) yield path
  }
}
