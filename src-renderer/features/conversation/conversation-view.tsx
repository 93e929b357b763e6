import { Button } from '@mantine/core'
import { ChevronLeft, Copy, Cpu } from 'lucide-react'
import { type RefObject, useCallback, useState } from 'react'
import type { AssistantModel } from '#shared/model/assistant-model.ts'
import {
  type ConversationAgent,
  type ConversationStatus,
  type Message,
  textOf,
} from '#shared/model/conversation.ts'
import type { ToolListing } from '#shared/model/tool.ts'
import { useLiveState } from '../../client/live-provider.tsx'
import { useConnectionsById } from '../../entities/connection/use-connections.ts'
import { Delayed } from '../../ui/delayed.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Note } from '../../ui/note.tsx'
import { Pill, type Tone } from '../../ui/pill.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import { Announcer } from './announcer.tsx'
import { Composer } from './composer.tsx'
import classes from './conversation.module.css'
import { ConversationMenu } from './conversation-menu.tsx'
import { titleOf } from './conversation-title.ts'
import { formWithEscape, MessageLog } from './message-log.tsx'
import type { useConversation } from './use-conversation.ts'
import { copyConversation, useConversationCommands } from './use-conversation-commands.ts'
import { useConversationPlace } from './use-conversation-place.ts'

const group = 'Conversation'
const noMessages: readonly Message[] = []

/** One conversation: its title, its messages and the field for the next one. */
export function ConversationView(props: {
  readonly followed: ReturnType<typeof useConversation>
  readonly model: AssistantModel | null
  /** The agent for a conversation that begins; undefined for the default one. */
  readonly newAgent: ConversationAgent | null | undefined
  /** The tools for a conversation that begins. */
  readonly newListing: ToolListing
  readonly tools: number | undefined
  readonly field: RefObject<HTMLTextAreaElement | null>
}) {
  const { followed, model, newAgent, newListing, tools, field } = props
  const { id, conversation, state } = followed
  const live = useLiveState()
  const place = useConversationPlace()
  const commands = useConversationCommands(id, { agent: newAgent, tools: newListing })
  const connectionOf = useConnectionOf(conversation?.messages ?? noMessages)
  const isNarrow = useNarrow()
  const [editingId, setEditingId] = useState<string | null>(null)
  const [openCalls, setOpenCalls] = useState<ReadonlySet<string>>(new Set())
  const status = conversation?.status ?? 'idle'
  const isAnswering = status === 'answering'
  const isBusy = isAnswering || status === 'asking'
  const lastOfUser = conversation?.messages.findLast(({ role }) => role === 'user')
  const editing = lastOfUser !== undefined && lastOfUser.messageId === editingId ? lastOfUser : null

  const toggleCall = useCallback(
    (toolCallId: string) =>
      setOpenCalls(before => {
        const next = new Set(before)
        if (!next.delete(toolCallId)) next.add(toolCallId)
        return next
      }),
    [],
  )
  const editLast =
    lastOfUser === undefined || isAnswering || model === null
      ? null
      : () => {
          setEditingId(lastOfUser.messageId)
          field.current?.focus()
        }
  async function send(text: string): Promise<void> {
    const replaces = editing?.messageId
    await commands.send(replaces === undefined ? { text } : { text, replaces })
    setEditingId(null)
  }
  useShortcut({ keys: 'escape', label: 'Stop the answer', group }, commands.stop, isAnswering)
  useShortcut({ keys: 'o', label: 'Open or close a call', group }, () => {
    const heads = [...document.querySelectorAll<HTMLElement>('[data-call]')]
    const focused = heads.find(head => head.closest('article')?.contains(document.activeElement))
    const head = focused ?? heads.at(-1)
    head?.click()
    head?.focus({ preventScroll: true })
  })
  const hasForm = conversation !== null && formWithEscape(conversation) !== null
  const goBack = () => place.show('list')
  useShortcut(
    { keys: 'escape', label: 'All conversations', group },
    goBack,
    isNarrow && !isBusy && !hasForm && editing === null,
  )

  if (state === 'gone') return <Gone onNew={() => place.open(null, true)} />
  const title = conversation === null ? (id === null ? 'New conversation' : '') : titleOf(conversation)
  return (
    <section className={classes.conversation} aria-label="Conversation">
      <div className={classes.bar}>
        {isNarrow && <IconButton icon={ChevronLeft} label="All conversations (esc)" onClick={goBack} />}
        <h2 className="h2 cut">{title}</h2>
        <StatusPill status={status} />
        <span className="push" />
        {conversation !== null && conversation.messages.length > 0 && (
          <IconButton
            icon={Copy}
            label="Copy as Markdown"
            onClick={() => copyConversation(conversation.conversationId)}
          />
        )}
        {isNarrow && model !== null && (
          <IconButton icon={Cpu} label="Model and tools" onClick={() => place.show('model')} />
        )}
        {conversation !== null && <ConversationMenu conversation={conversation} />}
      </div>
      {state === 'lost' && live !== 'lost' && (
        <Delayed ms={1000}>
          <Note tone="warn">The conversation is not up to date. Reconnecting…</Note>
        </Delayed>
      )}
      {conversation !== null && conversation.messages.length > 0 ? (
        <MessageLog
          conversation={conversation}
          connectionOf={connectionOf}
          openCalls={openCalls}
          onToggleCall={toggleCall}
          onEditLast={editLast}
          onRetry={isBusy || commands.isRetrying || model === null ? null : commands.retry}
          onContinue={isBusy || commands.isRetrying || model === null ? null : commands.continue}
          onChooseModel={place.setUp}
        />
      ) : (
        <div className={classes.log}>
          {(id === null || conversation !== null) && <Beginning tools={tools} />}
        </div>
      )}
      {model === null ? (
        <NoModel onChoose={place.setUp} />
      ) : (
        <Composer
          conversationId={id}
          status={status === 'failed' ? 'idle' : status}
          tools={tools}
          editing={editing === null ? null : textOf(editing)}
          isSending={commands.isSending}
          isStopping={commands.isStopping}
          field={field}
          onSend={send}
          onStop={commands.stop}
          onEditLast={editLast}
          onEndEdit={() => setEditingId(null)}
        />
      )}
      <Announcer conversation={conversation} />
    </section>
  )
}

const pills: Readonly<Record<ConversationStatus, readonly [Tone, string] | null>> = {
  idle: null,
  answering: ['acc', 'Answering'],
  asking: ['warn', 'Waiting for you'],
  failed: ['bad', 'Failed'],
}

function StatusPill({ status }: { readonly status: ConversationStatus }) {
  const pill = pills[status]
  return pill && <Pill tone={pill[0]}>{pill[1]}</Pill>
}

/** Returns a function that finds the connections that a conversation names. */
function useConnectionOf(messages: readonly Message[]) {
  const connectionOf = useConnectionsById(
    messages.flatMap(({ parts }) => parts.flatMap(part => ('connectionId' in part ? part.connectionId : []))),
  )
  return useCallback((connectionId: string) => connectionOf?.(connectionId), [connectionOf])
}

function Beginning({ tools }: { readonly tools: number | undefined }) {
  return (
    <EmptyState title="What do you want to know or do?">
      {tools === 0
        ? 'There are no tools yet: an enabled action of a connection with a base URL becomes one.'
        : 'The assistant looks things up at once and asks before it changes anything. It never sees a secret.'}
    </EmptyState>
  )
}

function NoModel({ onChoose }: { readonly onChoose: () => void }) {
  return (
    <div className={`row ${classes.composer}`} style={{ padding: '8px 8px 8px 12px' }}>
      <span className="sm t2 grow">No model is chosen, so the conversation cannot go on.</span>
      <Button leftSection={<Cpu />} onClick={onChoose}>
        Choose a model
      </Button>
    </div>
  )
}

function Gone({ onNew }: { readonly onNew: () => void }) {
  return (
    <EmptyState
      title="This conversation does not exist"
      actions={<Button onClick={onNew}>New conversation</Button>}
    >
      The link may be old, or the conversation was deleted.
    </EmptyState>
  )
}
