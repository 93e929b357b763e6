import type { InboundErrorCodeOf } from '#shared/errors/inbound.ts'
import { valueAt } from '#shared/json/value-at.ts'
import { parsePath, pathText } from '#shared/model/variable-path.ts'

/** Why a signed body is not an event. */
export type BodyProblem = {
  readonly code: InboundErrorCodeOf<'body'>
  readonly detail: string
  /** The item of a list of events that has the problem. */
  readonly index?: number
}

/** A value that was read of a body, or why it was not. */
export type Read = { readonly root: unknown } | { readonly problem: BodyProblem }

/** Forms of providers have a few dozen fields. To decode each takes several times as long as a field of JSON. */
export const maxFormFields = 1000

/** Returns the problem of a path that takes one item of several, because the others would be lost; null for other paths. */
export function listProblem(path: string, root: unknown): BodyProblem | null {
  const steps = parsePath(path) ?? []
  for (const [index] of steps.entries()) {
    const list = valueAt(root, steps.slice(0, index))
    if (!Array.isArray(list) || list.length < 2) continue
    const where = index === 0 ? 'The body' : `The field ${pathText(steps.slice(0, index))}`
    const detail = `${where} is ${listText(list)}, and ${path} takes one of them. To take each as an event, let the data be the items of the list.`
    return { code: 'invalid_data', detail }
  }
  return null
}

/** Returns a list in words: “a list of 2 items”. */
export const listText = ({ length }: readonly unknown[]) =>
  `a list of ${length} ${length === 1 ? 'item' : 'items'}`
