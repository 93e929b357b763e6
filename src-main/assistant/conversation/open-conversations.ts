import { idOf } from '#main/lib/sequence.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import { agentKey } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { ConversationStore } from '#main/storage/conversations.ts'
import { ServiceError } from '#shared/errors.ts'
import type { AgentUse, ContextUse, Conversation } from '#shared/model/conversation.ts'
import { defaultShapes } from '#shared/model/platform/agent.ts'
import type { KnowledgeMatch } from '#shared/model/platform/knowledge.ts'
import { type AgentSettings, agentInstructions, agentUseOf, textLimit } from './agent-settings.ts'
import { alwaysAllowed } from './authorize-call.ts'
import type { ContextCounter } from './context-use.ts'
import { instructionsOf } from './instructions.ts'
import type { Leases } from './leases.ts'
import { ownToolsOf } from './own-tools.ts'
import { type KnowledgeSource, mostPassages } from './search-knowledge.ts'
import { createSession, type Loaded, type Session } from './session.ts'
import { conversationPrefix, numberOfConversation, readTranscript } from './stored-transcript.ts'
import { summaryOf, type Transcript } from './transcript.ts'

/** A conversation in memory. */
export type OpenConversation = Session & {
  instructions(): string
  /** Returns the settings of its agent; null without an agent. */
  agentSettings(): AgentSettings | null
  /** Returns the search of its agent’s knowledge; null if there is nothing to search. */
  search(): ((query: string) => Promise<readonly KnowledgeMatch[]>) | null
  /** Counts the context again, and shows it. */
  recount(): Promise<ContextUse>
  /** Resolves when the context was counted for the first time. */
  readonly counted: Promise<void>
}

/** Everyone who acquires a conversation releases it; the last one closes it. */
export type Held = { readonly session: OpenConversation; release(): void }

/** Milliseconds between two messages that conversations changed which are not open here. */
const listEveryMs = 1000

const damagedConversation =
  'This conversation is damaged on the disk and cannot be read. Delete it, or restore a backup.'

export function createOpenConversations(parts: {
  readonly config: Pick<ConfigStore, 'snapshot'>
  readonly store: ConversationStore
  readonly leases: Pick<Leases, 'node' | 'isHeld'>
  readonly context: ContextCounter
  readonly knowledge: Pick<KnowledgeSource, 'list' | 'search'>
  /** Masks a text at this moment. */
  readonly mask: (text: string) => string
  readonly nextNumber: () => number
  /** Called when the entry of a conversation in lists has changed. */
  readonly onChange: () => void
  /** ISO 8601. */
  readonly now: () => string
  readonly onError: (error: unknown) => void
}) {
  const { config, store, leases, context, knowledge, mask, nextNumber, now, onChange, onError } = parts
  const open = new Map<string, { readonly opening: Promise<OpenConversation>; users: number }>()

  /** @throws ServiceError `damaged_data`, `storage_unavailable`. */
  async function read(number: number): Promise<Loaded | null> {
    const found = await store.get(number)
    if (found === null || !config.snapshot().workspaces.has(found.conversation.workspaceId)) return null
    const transcript = readTranscript(found.conversation, found.items)
    if (transcript === null) throw new ServiceError('damaged_data', { detail: damagedConversation })
    const { updated, owners } = found.conversation
    return { transcript, updated, owners }
  }

  async function load(conversationId: string): Promise<OpenConversation> {
    const number = numberOfConversation(conversationId)
    const loaded = number === null ? null : await read(number)
    if (number === null || loaded === null) throw new ServiceError('conversation_not_found')
    return opened(number, loaded)
  }

  function opened(number: number, loaded: Loaded): OpenConversation {
    const { workspaceId } = loaded.transcript
    let use: ContextUse | null = null
    let agentUse: AgentUse | null = null
    /** The number of the agent's files, as it was last counted. */
    let files = 0
    const view = (transcript: Transcript): Conversation => ({
      ...summaryOf(transcript),
      model: config.snapshot().settings.assistantModel,
      messages: transcript.messages,
      context: use,
      agent: transcript.agent,
      tools: transcript.tools,
      agentUse,
      always: alwaysAllowed(transcript.always, config.snapshot()),
    })
    const session = createSession({
      ...{ loaded, read: () => read(number), node: leases.node, store, nextNumber, view, onFailure: onError },
    })
    const entry = () => {
      const { title, status, calls, updatedAt } = session.shown()
      return JSON.stringify([title, status, calls, updatedAt])
    }
    let known = entry()
    session.changes.subscribe(() => {
      const next = entry()
      if (next === known) return
      known = next
      onChange()
      // An answer that is made here counts by itself.
      if (!leases.isHeld(number)) recount().catch(onError)
    })
    const limit = () => textLimit(config.snapshot().settings.assistantModel?.contextTokens)

    function agentSettings(): AgentSettings | null {
      const { agent } = session.now()
      const { agents, workspaces } = config.snapshot()
      if (agent === null || !workspaces.has(workspaceId)) return null
      const scope = { workspaceId, agentId: agent.agentId }
      const saved = agents.get(agentKey(scope))
      if (saved === undefined && files === 0) return null
      return { ...defaultShapes(agent.agentId), ...saved?.shapes }
    }

    async function countFiles(): Promise<number> {
      const { agent } = session.now()
      if (agent === null || !config.snapshot().workspaces.has(workspaceId)) return 0
      return (await knowledge.list({ workspaceId, agentId: agent.agentId })).length
    }

    function search() {
      const { agent } = session.now()
      if (agent === null || !agent.knowledge || files === 0) return null
      const scope = { workspaceId, agentId: agent.agentId }
      return (query: string) => knowledge.search({ ...scope, query, limit: mostPassages })
    }

    function instructions(): string {
      const { agent, tools } = session.now()
      const settings = agentSettings()
      const name = config.snapshot().workspaces.get(workspaceId)?.name ?? ''
      if (agent === null || settings === null) return instructionsOf(name, now(), tools)
      return mask(instructionsOf(name, now(), tools, agentInstructions(agent, settings, limit(), files)))
    }

    async function recount(): Promise<ContextUse> {
      // Without its knowledge the conversation goes on.
      files = await countFiles().catch(error => {
        onError(error)
        return 0
      })
      const ownTools = ownToolsOf(session.now().tools, search() !== null)
      const own = instructions() + ownTools.map(tool => JSON.stringify(tool)).join('')
      const counted = await context.count(config.snapshot(), session.now(), own)
      const settings = agentSettings()
      use = counted
      agentUse = settings && agentUseOf(settings, limit(), files)
      session.refresh()
      return counted
    }

    const counted = recount().then(() => {}, onError)
    return { ...session, instructions, agentSettings, search, recount, counted }
  }

  const listChanged = createThrottle(listEveryMs, onChange)
  const stopFollowing = store.changes.subscribe(({ number, updated }) => {
    const entry = open.get(idOf(conversationPrefix, number))
    if (entry === undefined) listChanged.ask()
    else
      entry.opening.then(
        ({ changed }) => changed(updated),
        () => {},
      )
  })

  return {
    /** @throws ServiceError `conversation_not_found`. */
    async acquire(conversationId: string) {
      const entry = open.get(conversationId) ?? { opening: load(conversationId), users: 0 }
      open.set(conversationId, entry)
      entry.users++
      let isHeld = true
      const release = () => {
        if (!isHeld) return
        isHeld = false
        if (--entry.users > 0) return
        if (open.get(conversationId) === entry) open.delete(conversationId)
        entry.opening.then(
          ({ close }) => close(),
          () => {},
        )
      }
      try {
        const session = await entry.opening
        if (session.isEnded()) throw new ServiceError('conversation_not_found')
        return { session, release }
      } catch (error) {
        release()
        throw error
      }
    },
    /** Calls back with each one that is open. */
    forEach(act: (session: OpenConversation) => void) {
      for (const { opening } of open.values()) opening.then(act, () => {})
    },
    /** Learns of no more changes. */
    stop() {
      stopFollowing()
      listChanged.stop()
    },
  }
}
