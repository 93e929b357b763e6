import { z } from 'zod'
import { UnreadyReason } from '../model/readiness.ts'
import { routesOf } from './base.ts'

const route = routesOf('health')

/** Also available without a token at `/healthz`. */
export const Health = z.object({
  ok: z.boolean().describe('Whether every event is accepted that the limits allow.'),
  version: z.string(),
  refused: z
    .enum(['all', 'stored', 'large'])
    .optional()
    .describe(
      'Which events get 503; absent if none do. `stored`: those that are stored or start workflows. `large`: of those, the largest that `maxBodyBytes` allows.',
    ),
  reason: UnreadyReason.optional().describe(
    'Why `/readyz` is 503; absent if it is not. `stopping`: the service is about to stop. `listener`: it does not listen. The others: why events cannot be stored.',
  ),
})

export type Health = z.infer<typeof Health>

export const health = {
  get: route('GET', '/health', 'Whether the service can accept events').output(Health),
}
