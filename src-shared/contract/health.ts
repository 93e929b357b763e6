import { z } from 'zod'
import { routesOf } from './base.ts'

const route = routesOf('health')

/** Also available without a token at `/healthz`. */
export const Health = z.object({
  ok: z.boolean().describe('Whether events can be accepted.'),
  version: z.string(),
})

export const health = {
  get: route('GET', '/health', 'Whether the service can accept events').output(Health),
}
