import { z } from 'zod'
import { Moment, WorkspaceId } from '../identifiers.ts'
import { importVersion } from '../import-document.ts'
import { Calendar } from './calendar.ts'
import { ConversationActions, StoredConversationActions } from './conversation-action.ts'
import { Crawler, StoredCrawler } from './crawler.ts'
import { LanguageSettings } from './language.ts'
import { AgentId } from './parts.ts'
import { shapePages } from './shape-pages.ts'
import { SmsKeywords } from './sms-keywords.ts'
import { TextResponses } from './text-response.ts'
import { Voice } from './voice.ts'
import { Widget } from './widget.ts'

/** A shape of an agent: what is not the same for each. */
export type ShapeKind<Schema extends z.ZodType = z.ZodType, Read extends z.ZodType = z.ZodType> = {
  readonly schema: Schema
  /** The schema of the file, where an earlier version may have saved what is no longer accepted. */
  readonly stored: z.ZodType<z.output<Schema>>
  /** The schema of what is read from it. */
  readonly read: Read
  /** Its name in the OpenAPI document. */
  readonly model: string
  /** Names it in a sentence. */
  readonly what: string
  /** The page of the dashboard that edits it. */
  readonly page: { readonly path: `/agent/${string}`; readonly title: string; readonly also: string }
  /** Returns what the defaults are made from. */
  empty(agentId: string): unknown
}

/** The shapes of an agent, by their names in paths and documents. Contract, REST, storage and documents are made of them. */
export const shapes = {
  widget: {
    ...{ schema: Widget, stored: Widget, read: Widget, model: 'Widget' },
    what: 'the web widget',
    page: shapePages.widget,
    empty: agentId => ({ agentId }),
  },
  voice: {
    ...{ schema: Voice, stored: Voice, read: Voice, model: 'Voice' },
    what: 'the voice settings',
    page: shapePages.voice,
    empty: () => ({}),
  },
  crawler: {
    ...{ schema: Crawler, stored: StoredCrawler, read: StoredCrawler, model: 'Crawler' },
    what: 'the website crawler',
    page: shapePages.crawler,
    empty: () => ({}),
  },
  calendar: {
    ...{ schema: Calendar, stored: Calendar, read: Calendar, model: 'Calendar' },
    what: 'the calendar',
    page: shapePages.calendar,
    empty: () => ({}),
  },
  language: {
    ...{
      schema: LanguageSettings,
      stored: LanguageSettings,
      read: LanguageSettings,
      model: 'LanguageSettings',
    },
    what: 'the language settings',
    page: shapePages.language,
    empty: () => ({}),
  },
  'conversation-actions': {
    ...{ schema: ConversationActions, stored: StoredConversationActions, read: ConversationActions },
    model: 'ConversationActions',
    what: 'the conversation actions',
    page: shapePages['conversation-actions'],
    empty: () => [],
  },
  'text-responses': {
    ...{ schema: TextResponses, stored: TextResponses, read: TextResponses, model: 'TextResponses' },
    what: 'the text responses',
    page: shapePages['text-responses'],
    empty: () => [],
  },
  'sms-keywords': {
    ...{ schema: SmsKeywords, stored: SmsKeywords, read: SmsKeywords, model: 'SmsKeywords' },
    what: 'the SMS keywords',
    page: shapePages['sms-keywords'],
    empty: () => ({}),
  },
} as const satisfies Record<string, ShapeKind>
export type ShapeName = keyof typeof shapes
type SchemaOf<N extends ShapeName> = (typeof shapes)[N]['schema']
export type Shapes = { [N in ShapeName]: z.output<SchemaOf<N>> }

export const ShapeName = z.enum(Object.keys(shapes) as [ShapeName, ...ShapeName[]])
export const shapeNames: readonly ShapeName[] = ShapeName.options

/**
 * Returns an object with a value for each shape.
 *
 * @param make returns the value for a name. TypeScript cannot follow it from name to value, so it is trusted.
 */
export function mapShapes<Of extends { [N in ShapeName]: unknown }>(
  make: (name: ShapeName, kind: ShapeKind) => unknown,
): Of {
  return Object.fromEntries(shapeNames.map(name => [name, make(name, shapes[name])])) as Of
}

/** The shapes that an agent has; the others have their defaults. */
export const SomeShapes = z.object(
  mapShapes<{ [N in ShapeName]: z.ZodExactOptional<SchemaOf<N>> }>((_name, { schema }) =>
    schema.exactOptional(),
  ),
)
export type SomeShapes = z.infer<typeof SomeShapes>

/** The same as an earlier version may have saved them. */
export const StoredShapes = z.object(
  mapShapes<{ [N in ShapeName]: z.ZodExactOptional<(typeof shapes)[N]['stored']> }>((_name, { stored }) =>
    stored.exactOptional(),
  ),
)

/** Returns the shapes of an agent for which nothing was saved. */
export function defaultShapes(agentId: string): Shapes {
  return mapShapes<Shapes>((_name, { schema, empty }) => schema.parse(empty(agentId)))
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
