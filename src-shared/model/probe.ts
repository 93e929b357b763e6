import { z } from 'zod'

/** The result of a signed probe of a public URL. */
export const ProbeResult = z.object({
  ok: z.boolean().describe('Whether it arrived at this service unchanged.'),
  code: z
    .enum(['ok', 'unreachable', 'tls_error', 'timeout', 'other_server', 'altered', 'blocked_address'])
    .describe('`other_server`: another server answered. `altered`: it arrived, but its bytes changed.'),
  message: z.string().describe('For people: the cause, then the remedy.'),
  status: z.int().nullable().describe('The status of the response; null without a response.'),
  totalMs: z.number(),
})
export type ProbeResult = z.infer<typeof ProbeResult>
