import { createCallHolder } from '#main/assistant/call-holder.ts'
import type { RefusalRecorder } from '#main/assistant/refusals.ts'
import type { ToolSearch } from '#main/assistant/search/tool-search.ts'
import type { Environment } from '#main/connections/environment.ts'
import { createBus } from '#main/lib/bus.ts'
import { nextVersion } from '#main/lib/next-version.ts'
import { idOf } from '#main/lib/sequence.ts'
import type { Calls } from '#main/outbound/calls.ts'
import { keptTextMasker } from '#main/outbound/mask-text.ts'
import { hasRemovedWorkspace } from '#main/storage/config-diff.ts'
import type { HeldCallStore } from '#main/storage/held-calls.ts'
import { ServiceError } from '#shared/errors.ts'
import type {
  Conversation,
  ConversationAgent,
  ExportFormat,
  FormPart,
  FormValues,
} from '#shared/model/conversation.ts'
import type { ToolListing } from '#shared/model/tool.ts'
import { requireAgent } from './agent-choice.ts'
import { createAnswers } from './answers.ts'
import type { ContextCounter } from './context-use.ts'
import { type CreateConversationParts, createConversation } from './create-conversation.ts'
import { type Decided, decideCall } from './decide-call.ts'
import { exportConversation } from './export.ts'
import { keyOf } from './find-models.ts'
import { followConversation } from './follow.ts'
import { createForms, formsFor } from './forms.ts'
import { createLeases } from './leases.ts'
import { type ConversationsQuery, listConversations } from './list-conversations.ts'
import type { ModelStream } from './model-stream.ts'
import { createOpenConversations, type Held, type OpenConversation } from './open-conversations.ts'
import { numberOfConversation } from './stored-transcript.ts'
import {
  before,
  canContinue,
  findCall,
  lastUserMessage,
  statusOf,
  type Transcript,
  toRetry,
  withUserMessage,
} from './transcript.ts'

export type NewMessage = {
  readonly text: string
  /** The last message of the user, which this one replaces with all after it. */
  readonly replaces?: string | undefined
}

/** Milliseconds to wait until another node has applied a decision. */
const decisionMs = 15_000

export type Conversations = ReturnType<typeof createConversations>

export type ConversationUpdate = {
  readonly title?: string | undefined
  /** Null for none. */
  readonly agent?: ConversationAgent | null | undefined
  readonly tools?: ToolListing | undefined
}

export type ConversationsParts = CreateConversationParts & {
  readonly calls: Calls
  readonly refuse: RefusalRecorder
  readonly toolSearch: ToolSearch
  readonly stream: ModelStream
  readonly context: ContextCounter
  readonly environment: Pick<Environment, 'resolve' | 'fetchMissing' | 'secrets'>
  readonly heldCalls: HeldCallStore
  /** The id of this node. */
  readonly node: string
  readonly onError: (error: unknown) => void
}

export function createConversations(parts: ConversationsParts) {
  const { config, store, calls, refuse, stream, context, environment, nextNumber, clock, onError } = parts
  const { knowledge, heldCalls: held, node, toolSearch } = parts
  const now = () => new Date(clock()).toISOString()
  const secrets = () => environment.secrets()
  const masker = () => keptTextMasker(secrets())
  const mask = (text: string) => masker()?.(text) ?? text
  /** Publishes when a list of conversations has changed. */
  const changes = createBus<void>(onError)
  const onChange = () => changes.publish()
  const leases = createLeases(store, node, onError)
  const holder = createCallHolder(held)
  const open = createOpenConversations({
    ...{ config, store, leases, context, knowledge, mask, nextNumber, now, onChange, onError },
  })
  const forms = createForms({ config: config.snapshot, leases, calls, mask, now, onError })
  const newMessage = () => ({ messageId: idOf('msg_', nextNumber()), at: now() })
  const answers = createAnswers({
    partsOf: session => ({
      ...{ session, calls, held, holder, refuse, toolSearch, stream, now, secrets, masker, onError },
      config: config.snapshot,
      keyOf: variable => keyOf(variable, environment),
      instructions: session.instructions,
      search: session.search,
      recount: session.recount,
      newToolCallId: () => idOf('tool_', nextNumber()),
    }),
    ...{ leases, held, holder, newAnswer: newMessage, now, onError },
  })

  async function use<Result>(
    conversationId: string,
    act: (session: OpenConversation) => Promise<Result> | Result,
  ): Promise<Result> {
    const { session, release } = await open.acquire(conversationId)
    try {
      return await act(session)
    } finally {
      release()
    }
  }

  function requireModel(): void {
    if (config.snapshot().settings.assistantModel === null) throw new ServiceError('no_model')
  }

  function offeredForms(session: OpenConversation, text: string): FormPart[] {
    const { agent } = session.now()
    const settings = session.agentSettings()
    if (agent === null || !agent.forms || settings === null) return []
    const newFormId = () => idOf('form_', nextNumber())
    return formsFor(text, agent.agentId, settings['conversation-actions'], mask, newFormId)
  }

  /** Prepares a message while the conversation is held; the answer takes over the hold. */
  async function start(conversationId: string, act: (held: Held) => Promise<Conversation>) {
    requireModel()
    const held = await open.acquire(conversationId)
    try {
      return await act(held)
    } catch (error) {
      held.release()
      throw error
    }
  }

  const recountAll = () => open.forEach(session => void session.recount().catch(onError))
  const stopFollowingFiles = knowledge.changes.subscribe(recountAll)
  const stopFollowing = config.onChange((next, previous, diff) => {
    if (
      next.settings.assistantModel !== previous.settings.assistantModel ||
      next.connections !== previous.connections ||
      next.agents !== previous.agents
    )
      recountAll()
    if (!hasRemovedWorkspace(diff)) return
    open.forEach(session => {
      const { workspaceId } = session.now()
      if (next.workspaces.has(workspaceId)) return
      session.end()
      answers.stop(session).catch(onError)
    })
    store.keepOnly([...next.workspaces.keys()]).then(onChange, onError)
  })

  return {
    list: (query: ConversationsQuery) => listConversations(store, query),

    /**
     * Also sends `conversation.started` to the workspace's webhook.
     *
     * @param agent undefined for the default one.
     * @throws ServiceError `workspace_not_found`, `invalid_input`, `unavailable`.
     */
    async create(workspaceId: string, { title, agent, tools }: ConversationUpdate) {
      const given = { agent, tools, title: title === undefined ? undefined : mask(title) }
      const conversationId = await createConversation(parts, workspaceId, given)
      onChange()
      return use(conversationId, async session => {
        await session.counted
        return session.shown()
      })
    },

    /** @throws ServiceError `conversation_not_found`, as all below. */
    get: (conversationId: string) =>
      use(conversationId, async session => {
        await session.counted
        return session.shown()
      }),

    /**
     * Changes the title, the agent or the tools.
     *
     * @param check throws for a state that must not be changed.
     * @throws ServiceError `invalid_input`.
     */
    update: (
      conversationId: string,
      { title, agent, tools }: ConversationUpdate,
      check: (before: Omit<Conversation, 'messages'>) => void,
    ) =>
      use(conversationId, async session => {
        check(fieldsOf(session.shown()))
        if (agent !== undefined)
          await requireAgent(config.snapshot(), knowledge, session.now().workspaceId, agent)
        await session.save(transcript => {
          // Another node may have changed it meanwhile.
          check(fieldsOf(session.shown()))
          return {
            // The list stays in the order of messages, and the version is another one.
            ...nextVersion(transcript, {}, transcript.updatedAt),
            ...(title === undefined ? {} : { title: mask(title), isRenamed: true }),
            ...(agent === undefined ? {} : { agent }),
            ...(tools === undefined ? {} : { tools }),
          }
        })
        if (agent !== undefined || tools !== undefined) await session.recount()
        return fieldsOf(session.shown())
      }),

    /** Deletes it, and stops its answer. */
    async remove(conversationId: string) {
      const removeStored = async () => {
        if (!(await store.remove(numberOfConversation(conversationId) ?? 0)))
          throw new ServiceError('conversation_not_found')
        onChange()
      }
      await use(conversationId, async session => {
        session.end()
        await answers.stop(session)
        await removeStored()
      }).catch(error => {
        if (!(error instanceof ServiceError && error.code === 'damaged_data')) throw error
        // One that cannot be read has no answer to stop.
        return removeStored()
      })
    },

    export: (conversationId: string, format: ExportFormat) =>
      use(conversationId, session => exportConversation(session.shown(), format)),

    /**
     * Adds a message and starts its answer. Calls that wait for a decision are declined first.
     *
     * @throws ServiceError `conversation_busy`, `not_last_message`, `no_model`.
     */
    send: (conversationId: string, { text, replaces }: NewMessage) =>
      start(conversationId, async held => {
        const { session } = held
        // A message instead of a decision declines the calls that wait.
        if (statusOf(session.now()) === 'asking') await answers.stop(session, 'decline')
        const shown = mask(text)
        const message = { text: shown, forms: offeredForms(session, shown), ...newMessage() }
        return answers.start(held, transcript => {
          const last = lastUserMessage(transcript)?.messageId
          if (replaces !== undefined && replaces !== last) throw new ServiceError('not_last_message')
          const earlier = replaces === undefined ? transcript : before(transcript, replaces)
          return withUserMessage(earlier, message)
        })
      }),

    /** Stops the answer, if one is being made. */
    stopAnswer: (conversationId: string) =>
      use(conversationId, async session => {
        await answers.stop(session)
        return session.shown()
      }),

    /** @throws ServiceError `conversation_busy`, `nothing_to_retry`, `no_model`. */
    retry: (conversationId: string) =>
      start(conversationId, held =>
        answers.start(held, transcript => {
          const continued = toRetry(transcript)
          if (continued === null) throw new ServiceError('nothing_to_retry')
          return continued
        }),
      ),

    /** @throws ServiceError `conversation_busy`, `nothing_to_continue`, `no_model`. */
    continueAnswer: (conversationId: string) =>
      start(conversationId, held =>
        answers.start(held, transcript => {
          if (!canContinue(transcript)) throw new ServiceError('nothing_to_continue')
          return transcript
        }),
      ),

    /** @throws ServiceError `call_not_waiting`, `always_not_allowed`, `invalid_input`. */
    decide: (conversationId: string, decided: Decided) =>
      use(conversationId, async session => {
        const isHere = answers.isRunning(conversationId)
        const isAsking = (transcript: Pick<Transcript, 'messages'>) =>
          findCall(transcript, decided.toolCallId)?.state === 'asking'
        if (!isHere && !isAsking(session.now())) await session.load()
        const waiting = answers.waiting(conversationId)
        await decideCall({ session, waiting, config: config.snapshot(), held, at: now() }, decided)
        if (isHere) await session.saved()
        else await session.until(() => !isAsking(session.shown()), decisionMs)
        return session.shown()
      }),

    /**
     * Posts a form, and returns once there is an outcome.
     *
     * @throws ServiceError `form_not_open`, `form_changed`, `invalid_input`.
     */
    submitForm: (conversationId: string, formId: string, values: FormValues) =>
      use(conversationId, async session => {
        await forms.submit(session, formId, values)
        await session.recount()
        return session.shown()
      }),

    /** @throws ServiceError `form_not_open`. */
    dismissForm: (conversationId: string, formId: string) =>
      use(conversationId, async session => {
        await forms.dismiss(session, formId)
        return session.shown()
      }),

    changes,

    follow: async (conversationId: string, signal: AbortSignal | undefined) =>
      followConversation(await open.acquire(conversationId), signal),

    /** Deletes the conversations of workspaces that no longer exist. */
    start: () => store.keepOnly([...config.snapshot().workspaces.keys()]),

    /** Ends all answers as interrupted. */
    async stop() {
      stopFollowing()
      stopFollowingFiles()
      await Promise.all([answers.stopAll(), forms.stop()])
      open.stop()
      await Promise.all([holder.stop(), leases.stop()])
    },
  }
}

/** Returns everything but the messages. */
function fieldsOf({ messages: _messages, ...fields }: Conversation): Omit<Conversation, 'messages'> {
  return fields
}
