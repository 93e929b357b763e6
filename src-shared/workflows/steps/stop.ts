import { z } from 'zod'
import { Template } from '#shared/model/template.ts'
import { decided, type End, failed, type StepKind, simple, stepFields, textsIn } from './step-kind.ts'

/** Maximum number of characters of the message, which lists of runs show. */
export const maxMessage = 2000

/** Why a run ends whose stop step says nothing else. */
export const stopped = { code: 'stopped', message: 'A stop step ended the run.' } as const

export const StopStep = z.object({
  ...stepFields,
  type: z.literal('stop'),
  outcome: z.enum(['succeeded', 'failed']),
  message: Template.optional(),
})
export type StopStep = z.infer<typeof StopStep>

/** Ends the run. */
export const stop: StepKind<StopStep> = {
  ...simple(StopStep),
  does: 'decide',
  texts: ({ message }) => textsIn({ message }),
  prepare(step, render) {
    const { message: template = '' } = step
    const text = render.text(template)
    const message = (render.shown?.text(template) ?? text).slice(0, maxMessage)
    const end: End =
      step.outcome === 'succeeded'
        ? { status: 'succeeded', error: null }
        : failed(stopped.code, message || stopped.message)
    return { input: null, effect: decided({ message }), end }
  },
}
