import { z } from 'zod'
import { Template } from '#shared/model/template.ts'
import {
  type ChangeList,
  decided,
  impossible,
  type StepFields,
  type StepKind,
  selfContained,
  stepFields,
  textsIn,
} from './step-kind.ts'

/** Maximum number of items of one loop. */
export const maxItems = 1000

export interface EachStep<Step> extends StepFields {
  type: 'each'
  items: string
  steps: Step[]
}

const schema = <Step>(steps: z.ZodType<Step[]>) =>
  z.object({ ...stepFields, type: z.literal('each'), items: Template, steps })

function change<From, To>(step: EachStep<From>, change: ChangeList<From, To>): EachStep<To> {
  return { ...step, steps: change(step.steps, ['steps']) }
}

/** Runs its steps once for each item of a list. */
export const each = <Step, Document>(): StepKind<
  EachStep<Step>,
  never,
  EachStep<Document>,
  Step,
  Document
> => ({
  ...selfContained,
  does: 'decide',
  schema,
  document: { schema, write: change, read: change },
  inside: { lists: ({ steps }) => [{ steps, path: ['steps'] }], change, itemsOf: ({ items }) => items },
  texts: ({ items }) => textsIn({ items }),
  prepare({ items: template, steps }, render) {
    const items = render.value(template)
    if (!Array.isArray(items)) return impossible(null, 'not_a_list', `${template} is not a list.`)
    if (items.length > maxItems)
      return impossible(null, 'too_many_items', `A loop has at most ${maxItems} items, not ${items.length}.`)
    const shown = render.shown && { shownItems: render.shown.value(template) }
    return { input: null, effect: decided({ items: items.length }), next: { steps, items, ...shown } }
  },
})
