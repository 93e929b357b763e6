import { z } from 'zod'
import { AgentId, Color, HttpUrl, range } from './parts.ts'

export const corners = ['top-left', 'top-right', 'bottom-left', 'bottom-right'] as const

/** The chat on a website. */
export const Widget = z.object({
  agentId: AgentId,
  bubbleColor: Color.default('#2440A0'),
  bubbleTextColor: Color.default('#FFFFFF'),
  chatBackgroundColor: Color.default('#F4F5F7'),
  chatHeaderBackgroundColor: Color.default('#2440A0'),
  chatHeaderTextColor: Color.default('#FFFFFF'),
  position: z.enum(corners).default('bottom-right'),
  autoOpen: z.boolean().default(false).describe('Whether the chat opens by itself.'),
  openDelay: range(0, 600_000, 'milliseconds').default(3000),
  fileUploadEnabled: z.boolean().default(false),
  chatHistoryEnabled: z.boolean().default(true),
  displayBranding: z.boolean().default(true),
  logoUrl: z
    .union([z.literal(''), HttpUrl])
    .default('')
    .describe('Empty for no logo.'),
})
export type Widget = z.infer<typeof Widget>
