import { z } from 'zod'

/** What the listener answered to a test event. `at` in milliseconds since 1970. */
export type SendOutcome = {
  readonly status: number
  readonly body?: unknown
  readonly totalMs: number
  readonly at: number
}

type SendStep = { readonly state: 'done' | 'failed' | 'skipped'; readonly text: string }

const Refusal = z.object({ error: z.string(), message: z.string() })

/** What is known to have happened to a test event, from what was answered (decisions: 200 means). */
export function sendSteps({ status, body }: SendOutcome, persistEvents: boolean): SendStep[] {
  if (status === 200)
    return [
      { state: 'done', text: 'Signature verified' },
      persistEvents
        ? { state: 'done', text: 'Stored' }
        : { state: 'skipped', text: 'Not stored: Log inbound events is off' },
      { state: 'done', text: 'external.event raised' },
    ]
  const refusal = Refusal.safeParse(body)
  const reason = refusal.success ? refusal.data.message : `It was answered ${status}.`
  return [
    { state: 'failed', text: reason },
    { state: 'skipped', text: 'No trigger was raised' },
  ]
}
