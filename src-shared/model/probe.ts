import { z } from 'zod'

/** The result of a signed probe of a public URL (specification: E1; decisions: workspace). */
export const ProbeResult = z.object({
  ok: z.boolean().describe('It arrived at this service, unaltered.'),
  code: z
    .enum(['ok', 'unreachable', 'tls_error', 'timeout', 'other_server', 'altered', 'blocked_address'])
    .describe(
      '`other_server`: something else answered. `altered`: it arrived, but not byte for byte as it was signed.',
    ),
  message: z.string().describe('For the person reading it: cause, then remedy.'),
  status: z.int().nullable().describe('What was answered; null without an answer.'),
  totalMs: z.number(),
})
export type ProbeResult = z.infer<typeof ProbeResult>
