import { z } from 'zod'
import { parseJson } from '#shared/json/parse-json.ts'
import { Step } from '#shared/workflows/steps/kinds.ts'

const PastedSteps = z.array(Step).min(1)

/** Returns the steps in a text: the JSON of one step, or of a list of steps. Otherwise returns why there are none. */
export function readSteps(text: string): { readonly steps: Step[] } | { readonly problem: string } {
  const value = parseJson(text)
  const isStep = typeof value === 'object' && value !== null
  if (!isStep) return { problem: 'The clipboard does not contain the JSON of a step.' }
  const parsed = PastedSteps.safeParse(Array.isArray(value) ? value : [value])
  if (parsed.success) return { steps: parsed.data }
  const [issue] = parsed.error.issues
  const path = issue?.path.slice(Array.isArray(value) ? 0 : 1).join('.') ?? ''
  return { problem: `${path === '' ? '' : `${path}: `}${issue?.message}` }
}
