import type { Bus } from '#main/lib/bus.ts'

/** A conversation as it is stored. Only `assistant/conversation` knows the meaning of its texts. */
export type StoredConversation = {
  /** The number in its id. */
  readonly number: number
  readonly workspaceId: string
  /** The version: grows with each change. The order of lists, and unique over all conversations. */
  readonly updated: number
  /** JSON: what lists show. */
  readonly head: string
  /** Text to search, in lower case. */
  readonly text: string
  /** The size of its items, about. */
  readonly bytes: number
}

/** A conversation with the owners of its leases that have not ended. */
export type ReadConversation = StoredConversation & { readonly owners: readonly string[] }

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
  readonly conversations: ReadConversation[]
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

/** `updated` is the version that was stored; null if the conversation was deleted. */
export type ChangedConversation = { readonly number: number; readonly updated: number | null }

/**
 * The transcripts of conversations. What is written survives kill -9. Every method rejects with `storage_unavailable` if
 * the storage fails; a write may still have been stored then.
 *
 * A node that makes an answer, or sends a form, has a lease meanwhile, so that others know that it is not interrupted. A
 * lease excludes nobody: `write` alone decides which of two changes holds.
 */
export type ConversationStore = {
  /** Milliseconds between two writes of an answer that grows: each writes its whole text again. */
  readonly writeEveryMs: number
  create(conversation: StoredConversation, bounds: ConversationBounds): Promise<void>
  /**
   * Applies a change in one transaction, if the conversation is still the version that was read. Otherwise nothing is
   * written: it was changed, or is gone.
   *
   * @param expected `updated` as it was read; the new one is larger.
   */
  write(change: ConversationWrite, expected: number): Promise<'written' | 'changed' | 'gone'>
  list(query: ConversationQuery): Promise<ConversationPage>
  /** Returns a conversation as of one moment, and its leases as of that moment or a later one. */
  get(number: number): Promise<{ conversation: ReadConversation; items: ConversationItem[] } | null>
  /** Returns whether it existed. */
  remove(number: number): Promise<boolean>
  /** Deletes the conversations of all workspaces but these. */
  keepOnly(workspaceIds: readonly string[]): Promise<void>
  /**
   * Gives an owner a lease on a conversation, or renews it; it ends after this time by the storage's clock, and when the
   * storage is opened by its only process. Several owners may have one.
   *
   * @param leaseMs milliseconds from now on.
   */
  own(number: number, owner: string, leaseMs: number): Promise<void>
  /** Ends the lease of an owner, if it has one. */
  disown(number: number, owner: string): Promise<void>
  /**
   * Publishes each change and deletion, those of this node before the method resolves, those of others within a second.
   * The last of several changes may stand for all.
   */
  readonly changes: Bus<ChangedConversation>
}
