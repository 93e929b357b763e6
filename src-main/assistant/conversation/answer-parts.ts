import type { CallHolder } from '#main/assistant/call-holder.ts'
import type { RefusalRecorder } from '#main/assistant/refusals.ts'
import type { ToolSearch } from '#main/assistant/search/tool-search.ts'
import type { Calls } from '#main/outbound/calls.ts'
import type { TextMasker } from '#main/outbound/mask-text.ts'
import type { Config } from '#main/storage/config.ts'
import type { HeldCallStore } from '#main/storage/held-calls.ts'
import type { ContextUse } from '#shared/model/conversation.ts'
import type { KnowledgeMatch } from '#shared/model/platform/knowledge.ts'
import type { ModelStream } from './model-stream.ts'
import type { Session } from './session.ts'

/** The parts of the service that an answer needs. */
export type AnswerParts = {
  readonly session: Pick<Session, 'now' | 'change' | 'saved'>
  readonly config: () => Config
  readonly calls: Calls
  readonly held: Pick<HeldCallStore, 'decide'>
  readonly holder: Pick<CallHolder, 'hold'>
  /** Records a call that was refused. */
  readonly refuse: RefusalRecorder
  readonly toolSearch: ToolSearch
  readonly stream: ModelStream
  /** Returns the key of the model server. @throws ModelError */
  readonly keyOf: (variable: string | null) => Promise<string | null>
  readonly instructions: () => string
  /** Searches the knowledge of the conversation’s agent; null if there is none to search. */
  readonly search: () => ((query: string) => Promise<readonly KnowledgeMatch[]>) | null
  /** Counts the context, and shows it. */
  readonly recount: () => Promise<ContextUse>
  /** Everything to mask, and its masker; both at this moment. */
  readonly secrets: () => readonly string[]
  readonly masker: () => TextMasker | null
  /** ISO 8601. */
  readonly now: () => string
  readonly newToolCallId: () => string
  readonly onError: (error: unknown) => void
}
