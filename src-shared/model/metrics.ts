import { z } from 'zod'
import { Moment } from './identifiers.ts'

/** Shorter tokens can be guessed. */
export const minMetricsTokenLength = 16

/** The token with which monitors read the metrics, without the token itself. */
export const MetricsToken = z.object({
  setAt: Moment.nullable().describe(
    'When it was created; null without one, and for one that was given at the start.',
  ),
  lastScrapeAt: Moment.nullable().describe(
    'When this node was asked for its metrics last, with the admin token too; null if it was not since its start. Of another node it may be ten minutes old.',
  ),
  source: z
    .enum(['settings', 'start'])
    .nullable()
    .describe(
      '`settings`: it was created here. `start`: it was given with `--metrics-token` or `CUSTOM_CONNECTION_METRICS_TOKEN`. Null without one: only the admin token reads the metrics.',
    ),
})
export type MetricsToken = z.infer<typeof MetricsToken>

export const CreatedMetricsToken = z.object({
  token: z.string().describe('The token. It is stored only as a digest, so it cannot be shown again.'),
})
