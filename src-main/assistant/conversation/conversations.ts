import type { RefusalRecorder } from '#main/assistant/refusals.ts'
import type { Environment } from '#main/connections/environment.ts'
import { createBus } from '#main/lib/bus.ts'
import { nextVersion } from '#main/lib/next-version.ts'
import { idOf } from '#main/lib/sequence.ts'
import type { Calls } from '#main/outbound/calls.ts'
import { keptTextMasker } from '#main/outbound/mask-text.ts'
import { hasRemovedWorkspace } from '#main/storage/config-diff.ts'
import { ServiceError } from '#shared/errors.ts'
import type {
  Conversation,
  ConversationAgent,
  ExportFormat,
  FormPart,
  FormValues,
} from '#shared/model/conversation.ts'
import { requireAgent } from './agent-choice.ts'
import { createAnswers } from './answers.ts'
import type { ContextCounter } from './context-use.ts'
import { type CreateConversationParts, createConversation } from './create-conversation.ts'
import { type Decided, decideCall, declineCall } from './decide-call.ts'
import { exportConversation } from './export.ts'
import { keyOf } from './find-models.ts'
import { followConversation } from './follow.ts'
import { createForms, formsFor } from './forms.ts'
import { type ConversationsQuery, listConversations } from './list-conversations.ts'
import type { ModelStream } from './model-stream.ts'
import { createOpenConversations, type Held, type OpenConversation } from './open-conversations.ts'
import { numberOfConversation } from './stored-transcript.ts'
import {
  before,
  canContinue,
  lastUserMessage,
  statusOf,
  toRetry,
  withAnswer,
  withUserMessage,
} from './transcript.ts'

export type NewMessage = {
  readonly text: string
  /** The last message of the user, which this one replaces with all after it. */
  readonly replaces?: string | undefined
}

export type Conversations = ReturnType<typeof createConversations>

export type ConversationUpdate = {
  readonly title?: string | undefined
  /** Null for none. */
  readonly agent?: ConversationAgent | null | undefined
}

export type ConversationsParts = CreateConversationParts & {
  readonly calls: Calls
  readonly refuse: RefusalRecorder
  readonly stream: ModelStream
  readonly context: ContextCounter
  readonly environment: Pick<Environment, 'resolve' | 'secrets'>
  readonly onError: (error: unknown) => void
}

export function createConversations(parts: ConversationsParts) {
  const { config, store, calls, refuse, stream, context, environment, nextNumber, clock, onError } = parts
  const { knowledge } = parts
  const now = () => new Date(clock()).toISOString()
  const secrets = () => environment.secrets()
  const masker = () => keptTextMasker(secrets())
  const mask = (text: string) => masker()?.(text) ?? text
  /** Publishes when a list of conversations has changed. */
  const changes = createBus<void>(onError)
  const onChange = () => changes.publish()
  const open = createOpenConversations({
    ...{ config, store, context, knowledge, mask, nextNumber, now, onChange, onError },
  })
  const forms = createForms({ config: config.snapshot, calls, mask, now, onError })
  const answers = createAnswers(
    ({ session }) => ({
      ...{ session, calls, refuse, stream, now, secrets, masker, onError },
      config: config.snapshot,
      keyOf: variable => keyOf(variable, environment.resolve),
      instructions: session.instructions,
      search: session.search,
      recount: session.recount,
      newToolCallId: () => idOf('tool_', nextNumber()),
    }),
    onError,
  )

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

  const newAnswer = () => ({ messageId: idOf('msg_', nextNumber()), at: now() })

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

  /** A message instead of a decision declines the calls that wait. */
  async function declineWaiting(session: OpenConversation): Promise<void> {
    const { conversationId } = session.now()
    if (statusOf(session.now()) !== 'asking') return
    for (const [toolCallId, call] of answers.of(conversationId)?.waiting ?? [])
      declineCall(session, toolCallId, call, now())
    await answers.stop(conversationId)
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
      const { workspaceId, conversationId } = session.now()
      if (next.workspaces.has(workspaceId)) return
      session.end()
      answers.stop(conversationId).catch(onError)
    })
    store.keepOnly([...next.workspaces.keys()]).then(onChange, onError)
  })

  return {
    list: (query: ConversationsQuery) => listConversations(store, answers.isRunning, query),

    /**
     * Also sends `conversation.started` to the workspace's webhook.
     *
     * @param agent undefined for the default one.
     * @throws ServiceError `workspace_not_found`, `invalid_input`, `unavailable`.
     */
    async create(workspaceId: string, agent?: ConversationAgent | null) {
      const conversationId = await createConversation(parts, workspaceId, agent)
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
     * Changes the title or the agent.
     *
     * @param check throws for a state that must not be changed.
     * @throws ServiceError `invalid_input`.
     */
    update: (
      conversationId: string,
      { title, agent }: ConversationUpdate,
      check: (before: Omit<Conversation, 'messages'>) => void,
    ) =>
      use(conversationId, async session => {
        check(fieldsOf(session.shown()))
        if (agent !== undefined)
          await requireAgent(config.snapshot(), knowledge, session.now().workspaceId, agent)
        session.change(transcript => ({
          // The list stays in the order of messages, and the version is another one.
          ...nextVersion(transcript, {}, transcript.updatedAt),
          ...(title === undefined ? {} : { title: mask(title), isRenamed: true }),
          ...(agent === undefined ? {} : { agent }),
        }))
        await session.saved()
        if (agent !== undefined) await session.recount()
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
        await answers.stop(conversationId)
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
        await declineWaiting(session)
        const shown = mask(text)
        const message = { text: shown, forms: offeredForms(session, shown), ...newAnswer() }
        return answers.start(held, transcript => {
          const last = lastUserMessage(transcript)?.messageId
          if (replaces !== undefined && replaces !== last) throw new ServiceError('not_last_message')
          const earlier = replaces === undefined ? transcript : before(transcript, replaces)
          return withAnswer(withUserMessage(earlier, message), newAnswer())
        })
      }),

    /** Stops the answer, if one is being made. */
    stopAnswer: (conversationId: string) =>
      use(conversationId, async session => {
        await answers.stop(conversationId)
        return session.shown()
      }),

    /** @throws ServiceError `conversation_busy`, `nothing_to_retry`, `no_model`. */
    retry: (conversationId: string) =>
      start(conversationId, held =>
        answers.start(held, transcript => {
          const continued = toRetry(transcript)
          if (continued === null) throw new ServiceError('nothing_to_retry')
          return withAnswer(continued, newAnswer())
        }),
      ),

    /** @throws ServiceError `conversation_busy`, `nothing_to_continue`, `no_model`. */
    continueAnswer: (conversationId: string) =>
      start(conversationId, held =>
        answers.start(held, transcript => {
          if (!canContinue(transcript)) throw new ServiceError('nothing_to_continue')
          return withAnswer(transcript, newAnswer())
        }),
      ),

    /** @throws ServiceError `call_not_waiting`, `always_not_allowed`, `invalid_input`. */
    decide: (conversationId: string, decided: Decided) =>
      use(conversationId, async session => {
        const waiting = answers.of(conversationId)?.waiting ?? new Map()
        decideCall({ session, waiting, config: config.snapshot(), secrets: secrets(), at: now() }, decided)
        await session.saved()
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
        forms.dismiss(session, formId)
        await session.saved()
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
    },
  }
}

/** Returns everything but the messages. */
function fieldsOf({ messages: _messages, ...fields }: Conversation): Omit<Conversation, 'messages'> {
  return fields
}
