import { z } from 'zod'
import { route } from './base.ts'

/** Also available without a token at `/healthz`. */
export const Health = z.object({
  ok: z.boolean().describe('Whether events can be accepted.'),
  version: z.string(),
})

export const health = {
  get: route('GET', '/health', { tag: 'health', summary: 'Whether the service can accept events' }).output(
    Health,
  ),
}
