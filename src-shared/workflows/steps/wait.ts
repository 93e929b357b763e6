import { z } from 'zod'
import { Template } from '#shared/model/template.ts'
import { parseTime } from '#shared/time.ts'
import { impossible, type StepKind, simple, stepFields, textsIn } from './step-kind.ts'

/** A year, in seconds. */
export const maxWaitSeconds = 31_536_000

export const WaitStep = z
  .object({
    ...stepFields,
    type: z.literal('wait'),
    seconds: z.number().min(1).max(maxWaitSeconds).optional(),
    until: Template.optional().describe('ISO 8601 with an offset, or milliseconds since 1970.'),
  })
  .refine(({ seconds, until }) => (seconds === undefined) !== (until === undefined), {
    path: ['seconds'],
    message: 'Set exactly one of `seconds` and `until`.',
  })
export type WaitStep = z.infer<typeof WaitStep>

/** `until` in milliseconds since 1970, `forMs` from the step's start. */
type WaitEffect =
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'wait'; readonly forMs: number }

/** Gives the run back to the queue for a while. */
export const wait: StepKind<WaitStep, WaitEffect> = {
  ...simple(WaitStep),
  does: 'wait',
  texts: ({ until }) => textsIn({ until }),
  check({ until }, { add, isFull }) {
    if (until === undefined || until.includes('{{') || isFull()) return
    const { problem } = parseTime(until)
    if (problem !== null) add('error', 'invalid_time', ['until'], problem)
  },
  prepare(step, render) {
    if (step.seconds !== undefined)
      return { input: { seconds: step.seconds }, effect: { kind: 'wait', forMs: step.seconds * 1000 } }
    const until = render.required(step.until ?? '', 'the time to wait for')
    const input = { until: render.shown?.text(step.until ?? '') ?? until }
    const time = parseTime(until)
    if (time.problem !== null) return impossible(input, 'invalid_time', time.problem)
    return { input, effect: { kind: 'wait', until: time.ms } }
  },
}
