import { z } from 'zod'
import { Moment, WorkspaceId } from '../identifiers.ts'
import { importVersion } from '../import-document.ts'
import { Calendar } from './calendar.ts'
import { ConversationActions } from './conversation-action.ts'
import { Crawler } from './crawler.ts'
import { LanguageSettings } from './language.ts'
import { AgentId } from './parts.ts'
import { SmsKeywords } from './sms-keywords.ts'
import { TextResponses } from './text-response.ts'
import { Voice } from './voice.ts'
import { Widget } from './widget.ts'

/** The schemas of an agent's shapes, by their names in paths and documents. */
export const shapes = {
  widget: Widget,
  voice: Voice,
  crawler: Crawler,
  calendar: Calendar,
  language: LanguageSettings,
  'conversation-actions': ConversationActions,
  'text-responses': TextResponses,
  'sms-keywords': SmsKeywords,
} as const satisfies Record<string, z.ZodType>
export type ShapeName = keyof typeof shapes
export type Shapes = { [N in ShapeName]: z.infer<(typeof shapes)[N]> }

/** The shapes that an agent has; the others have their defaults. */
export const SomeShapes = z.object({
  widget: Widget.exactOptional(),
  voice: Voice.exactOptional(),
  crawler: Crawler.exactOptional(),
  calendar: Calendar.exactOptional(),
  language: LanguageSettings.exactOptional(),
  'conversation-actions': ConversationActions.exactOptional(),
  'text-responses': TextResponses.exactOptional(),
  'sms-keywords': SmsKeywords.exactOptional(),
})
export type SomeShapes = z.infer<typeof SomeShapes>

export const ShapeName = SomeShapes.keyof() satisfies z.ZodType<ShapeName>
export const shapeNames: readonly ShapeName[] = ShapeName.options

/** Returns the shapes of an agent for which nothing was saved. */
export function defaultShapes(agentId: string): Shapes {
  return {
    widget: Widget.parse({ agentId }),
    voice: Voice.parse({}),
    crawler: Crawler.parse({}),
    calendar: Calendar.parse({}),
    language: LanguageSettings.parse({}),
    'conversation-actions': [],
    'text-responses': [],
    'sms-keywords': SmsKeywords.parse({}),
  }
}

/** An agent that has at least one shape or knowledge file. */
export const Agent = z.object({
  workspaceId: WorkspaceId,
  agentId: AgentId,
  shapes: z.array(ShapeName).describe('The shapes that were saved.'),
  unknownFields: z
    .array(z.string())
    .describe(
      'Paths of the fields that an import brought and this version does not know; an export has them.',
    ),
  files: z.int().min(0).describe('How many knowledge files it has.'),
  createdAt: Moment,
  updatedAt: Moment,
})
export type Agent = z.infer<typeof Agent>

/** All shapes of an agent, as an export writes them. An import sets those it has and leaves the others. */
export const AgentDocument = z.object({
  version: z.literal(importVersion).default(importVersion),
  agentId: AgentId.optional(),
  ...SomeShapes.shape,
})
