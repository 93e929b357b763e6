/** A conversation as it is stored. Only `assistant/conversation` knows the meaning of its texts. */
export type StoredConversation = {
  /** The number in its id. */
  readonly number: number
  readonly workspaceId: string
  /** Grows with each change; the order of lists. */
  readonly updated: number
  /** JSON: what lists show. */
  readonly head: string
  /** Text to search, in lower case. */
  readonly text: string
  /** The size of its items, about. */
  readonly bytes: number
}

/** A message (`part` is -1), or one of its parts. */
export type ConversationItem = {
  /** Their places, from 0. */
  readonly message: number
  readonly part: number
  /** JSON. */
  readonly body: string
  /** Text to search, in lower case. */
  readonly text: string
}

export type ConversationWrite = {
  readonly conversation: StoredConversation
  /** Messages from this place on are deleted first. */
  readonly keepMessages: number
  /** Replace what is at their places. */
  readonly items: readonly ConversationItem[]
}

export type ConversationQuery = {
  readonly workspaceId?: string | undefined
  /** In lower case; anywhere in a text to search. */
  readonly text?: string | undefined
  /** Only conversations that were changed before this number. */
  readonly before?: number | undefined
  readonly limit: number
}

export type ConversationPage = {
  /** The last changed first. A search checks a bounded amount of text, so there may be fewer than the limit. */
  readonly conversations: StoredConversation[]
  /** `before` of the next page; null if this is the last. */
  readonly nextBefore: number | null
}

/** Conversations beyond these bounds are deleted, the least recently changed first, when one is created. */
export type ConversationBounds = {
  readonly mostPerWorkspace: number
  readonly mostBytes: number
  /** Conversations that were changed before this number. */
  readonly oldest: number
}

/**
 * The transcripts of conversations. What is written survives kill -9. Every method rejects with `storage_unavailable` if
 * the storage fails.
 */
export type ConversationStore = {
  create(conversation: StoredConversation, bounds: ConversationBounds): Promise<void>
  /** Applies a change in one transaction. Returns whether the conversation exists; if not, nothing is written. */
  write(change: ConversationWrite): Promise<boolean>
  list(query: ConversationQuery): Promise<ConversationPage>
  get(number: number): Promise<{ conversation: StoredConversation; items: ConversationItem[] } | null>
  /** Returns whether it existed. */
  remove(number: number): Promise<boolean>
  /** Deletes the conversations of all workspaces but these. */
  keepOnly(workspaceIds: readonly string[]): Promise<void>
}
