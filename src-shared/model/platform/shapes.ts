import type { z } from 'zod'
import { Calendar } from './calendar.ts'
import { ConversationActions } from './conversation-action.ts'
import { Crawler } from './crawler.ts'
import { LanguageSettings } from './language.ts'
import { SmsKeywords } from './sms-keywords.ts'
import { TextResponses } from './text-response.ts'
import { Voice } from './voice.ts'
import { Widget } from './widget.ts'

/** The schemas of an agent's configuration, by their names in paths and documents. */
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
export type Shape<N extends ShapeName> = z.infer<(typeof shapes)[N]>
