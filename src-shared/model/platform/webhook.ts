import { z } from 'zod'
import { EnvironmentName } from '../environment.ts'
import { HttpUrl } from './parts.ts'

const WebhookUrl = HttpUrl.refine(
  text => !/^https?:\/\/[^/?#]*@/i.test(text),
  'Remove the user name and password from the URL. The signature proves who sends.',
)
  .refine(text => !text.includes('#'), 'Remove the fragment (#…).')
  .refine(text => !text.includes('{{'), 'This URL cannot have variables.')

/** Where a workspace sends the platform's webhook events. */
export const Webhook = z.object({
  url: WebhookUrl.describe('Gets each event as a signed POST.'),
  secretVariable: EnvironmentName.describe(
    'The environment variable with the signing secret. Only its name is stored.',
  ),
  alerts: z.boolean().default(false).describe('Whether it gets `alert.opened` and `alert.closed`, too.'),
  enabled: z
    .boolean()
    .default(true)
    .describe('While false, no event is sent. Deliveries that wait continue when it is true again.'),
})
export type Webhook = z.infer<typeof Webhook>
