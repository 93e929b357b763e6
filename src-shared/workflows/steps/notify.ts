import { z } from 'zod'
import { Template } from '#shared/model/template.ts'
import { type StepKind, simple, stepFields, textsIn } from './step-kind.ts'

export const NotifyStep = z.object({
  ...stepFields,
  type: z.literal('notify'),
  message: Template.min(1, 'Write a message.'),
})
export type NotifyStep = z.infer<typeof NotifyStep>

type NotifyEffect = { readonly kind: 'notify'; readonly message: string }

/** Shows a message to the people who run the service. */
export const notify: StepKind<NotifyStep, NotifyEffect> = {
  ...simple(NotifyStep),
  does: 'notify',
  texts: ({ message }) => textsIn({ message }),
  prepare(step, render) {
    const text = render.text(step.message)
    // The message is shown to people.
    const message = render.shown?.text(step.message) ?? text
    return { input: { message }, effect: { kind: 'notify', message } }
  },
}
