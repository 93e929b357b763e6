import { findWorkspace } from '#main/connections/workspaces.ts'
import { followSources } from '#main/lib/follow-sources.ts'
import { idOf, numberOfId, sequenceOfTime } from '#main/lib/sequence.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { ConversationBounds, ConversationStore } from '#main/storage/conversations.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Conversation, ConversationChange, ConversationSummary } from '#shared/model/conversation.ts'
import { changesBetween } from './changes.ts'
import { createSession, type Session } from './session.ts'
import {
  conversationPrefix,
  numberOfConversation,
  readSummary,
  readTranscript,
  storedHead,
} from './stored-transcript.ts'
import { newTranscript, summaryOf, type Transcript } from './transcript.ts'

const dayMs = 24 * 60 * 60 * 1000

export type ConversationsQuery = {
  readonly workspaceId?: string | undefined
  readonly text?: string | undefined
  readonly before?: string | undefined
  readonly limit: number
}

export type Conversations = {
  list(
    query: ConversationsQuery,
  ): Promise<{ conversations: ConversationSummary[]; nextBefore: string | null }>
  /** @throws ServiceError `workspace_not_found`. */
  create(workspaceId: string): Promise<Conversation>
  /** @throws ServiceError `conversation_not_found`, as all below. */
  get(conversationId: string): Promise<Conversation>
  rename(conversationId: string, title: string): Promise<ConversationSummary>
  remove(conversationId: string): Promise<void>
  /** Yields the whole, then its changes until it is deleted or the signal aborts. */
  follow(conversationId: string, signal: AbortSignal | undefined): Promise<AsyncGenerator<ConversationChange>>
  /** Deletes the conversations of workspaces that no longer exist. */
  start(): Promise<void>
  stop(): Promise<void>
}

export type ConversationsParts = {
  readonly config: ConfigStore
  readonly store: ConversationStore
  readonly nextNumber: () => number
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly onError: (error: unknown) => void
}

/** An open conversation, and how many use it. */
type Open = { readonly session: Promise<Session>; users: number }

export function createConversations(parts: ConversationsParts): Conversations {
  const { config, store, nextNumber, clock, onError } = parts
  const open = new Map<string, Open>()
  const now = () => new Date(clock()).toISOString()

  function view(transcript: Transcript): Conversation {
    const { always, messages } = transcript
    const model = config.snapshot().settings.assistantModel
    return { ...summaryOf(transcript), model, messages, context: null, always }
  }

  function sessionOf(stored: Transcript): Session {
    return createSession({ stored, store, nextNumber, view, onFailure: onError })
  }

  async function load(conversationId: string): Promise<Session> {
    const number = numberOfConversation(conversationId)
    const found = number === null ? null : await store.get(number)
    if (found === null || !config.snapshot().workspaces.has(found.conversation.workspaceId))
      throw new ServiceError('conversation_not_found')
    const transcript = readTranscript(found.conversation, found.items)
    if (transcript === null) throw new ServiceError('conversation_not_found')
    return sessionOf(transcript)
  }

  /** Opens a conversation for as long as somebody uses it. Every user ends with `release`. */
  async function acquire(conversationId: string): Promise<{ session: Session; release(): void }> {
    const entry = open.get(conversationId) ?? { session: load(conversationId), users: 0 }
    open.set(conversationId, entry)
    entry.users++
    let isHeld = true
    const release = () => {
      if (!isHeld) return
      isHeld = false
      if (--entry.users === 0 && open.get(conversationId) === entry) open.delete(conversationId)
    }
    try {
      const session = await entry.session
      if (session.isEnded()) throw new ServiceError('conversation_not_found')
      return { session, release }
    } catch (error) {
      release()
      throw error
    }
  }

  async function use<Result>(
    conversationId: string,
    act: (session: Session) => Promise<Result> | Result,
  ): Promise<Result> {
    const { session, release } = await acquire(conversationId)
    try {
      return await act(session)
    } finally {
      release()
    }
  }

  async function endOpen(isGone: (session: Session) => boolean): Promise<void> {
    for (const { session } of open.values()) {
      const opened = await session.catch(() => null)
      if (opened !== null && isGone(opened)) opened.end()
    }
  }

  const stopFollowing = config.onChange((next, previous) => {
    if (next.settings.assistantModel !== previous.settings.assistantModel)
      for (const { session } of open.values())
        session.then(
          opened => opened.refresh(),
          () => {},
        )
    if (next.workspaces === previous.workspaces) return
    if (![...previous.workspaces.keys()].some(id => !next.workspaces.has(id))) return
    endOpen(session => !next.workspaces.has(session.now().workspaceId))
      .then(() => store.keepOnly([...next.workspaces.keys()]))
      .catch(onError)
  })

  return {
    async list({ before, text, ...query }) {
      const page = await store.list({
        ...query,
        text: text?.toLowerCase(),
        before: before === undefined ? undefined : numberOfPage(before),
      })
      const isOpen = (id: number) => open.has(idOf(conversationPrefix, id))
      return {
        conversations: page.conversations.flatMap(one => readSummary(one, isOpen(one.number)) ?? []),
        nextBefore: page.nextBefore === null ? null : idOf(pagePrefix, page.nextBefore),
      }
    },

    async create(workspaceId) {
      findWorkspace(config.snapshot(), workspaceId)
      const number = nextNumber()
      const conversationId = idOf(conversationPrefix, number)
      const transcript = newTranscript({ conversationId, workspaceId }, now())
      await store.create(storedHead(transcript, number), bounds(clock()))
      return view(transcript)
    },

    get: conversationId => use(conversationId, session => session.shown()),

    rename: (conversationId, title) =>
      use(conversationId, async session => {
        session.change(transcript => ({ ...transcript, title, isRenamed: true }))
        await session.saved()
        return summaryOf(session.now())
      }),

    remove: conversationId =>
      use(conversationId, async session => {
        session.end()
        if (!(await store.remove(numberOfConversation(conversationId) ?? 0)))
          throw new ServiceError('conversation_not_found')
      }),

    async follow(conversationId, signal) {
      const { session, release } = await acquire(conversationId)
      return follow(session, signal, release)
    },

    start: () => store.keepOnly([...config.snapshot().workspaces.keys()]),

    async stop() {
      stopFollowing()
    },
  }
}

const pagePrefix = 'page_'

function numberOfPage(text: string): number {
  const number = numberOfId(pagePrefix, text)
  if (number !== null) return number
  const message = 'This must be the nextBefore of an earlier page.'
  throw new ServiceError('invalid_input', { data: { issues: [{ path: 'before', message }] } })
}

function bounds(now: number): ConversationBounds {
  return {
    mostPerWorkspace: 1000,
    mostBytes: 512 * 1024 * 1024,
    oldest: sequenceOfTime(now - 365 * dayMs),
  }
}

async function* follow(
  session: Session,
  signal: AbortSignal | undefined,
  release: () => void,
): AsyncGenerator<ConversationChange> {
  let sent: Conversation | null = null
  let waiting: ConversationChange[] = []
  // A slow reader costs one reference to the state that it has: what it gets next is the difference from that.
  function take(): ConversationChange | null {
    const next = waiting.shift()
    if (next !== undefined) return next
    if (session.isEnded()) return { type: 'deleted' }
    const shown = session.shown()
    const known = sent
    sent = shown
    if (known === null) return { type: 'conversation', conversation: shown }
    waiting = changesBetween(known, shown)
    return waiting.shift() ?? null
  }
  const open = (wake: () => void) => [{ take, stop: session.changes.subscribe(wake) }]
  try {
    for await (const change of followSources(open, signal)) {
      yield change
      if (change.type === 'deleted') return
    }
  } finally {
    release()
  }
}
