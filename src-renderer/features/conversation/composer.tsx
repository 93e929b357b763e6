import { ActionIcon, Button, Textarea, Tooltip } from '@mantine/core'
import { Send, Square, X } from 'lucide-react'
import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { maxMessageLength } from '#shared/model/conversation.ts'
import { queries } from '../../client/query-client.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { drafts } from '../../ui/draft/drafts.ts'
import { RestoredNote } from '../../ui/draft/restored-note.tsx'
import { textWithoutSecrets } from '../../ui/draft/without-secrets.ts'
import { formatCount } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { KeyButton } from '../../ui/keys.tsx'
import { AddEvent } from './add-event.tsx'
import classes from './conversation.module.css'

/** Where a message is written. Enter sends it, Shift and Enter begin a new line, ↑ edits the last one. */
export function Composer(props: {
  readonly conversationId: string | null
  readonly status: 'idle' | 'answering' | 'asking'
  /** The number of tools; undefined until it is known. */
  readonly tools: number | undefined
  /** The text of the message that is being changed; null for a new message. */
  readonly editing: string | null
  readonly isSending: boolean
  readonly isStopping: boolean
  readonly field: RefObject<HTMLTextAreaElement | null>
  /** Resolves once the message is sent; rejects if it was not, so that its text stays. */
  readonly onSend: (text: string) => Promise<unknown>
  readonly onStop: () => void
  /** Null if there is no message to edit. */
  readonly onEditLast: (() => void) | null
  readonly onEndEdit: () => void
}) {
  const { conversationId, status, tools, editing, isSending, isStopping, field, onEditLast } = props
  const { text, setText, note } = useMessage(conversationId, editing)
  const isAnswering = status === 'answering'
  const canSend = text.trim() !== '' && text.length <= maxMessageLength && !isSending && !isAnswering

  async function send(): Promise<void> {
    if (!canSend) return
    setText('')
    try {
      await props.onSend(text)
    } catch {
      // The toast says why. What was typed since then comes after it.
      setText(typed => (typed === '' ? text : `${text}\n${typed}`))
    }
  }
  return (
    <div className={classes.composer}>
      {note}
      {editing !== null && (
        <div className={classes.editing}>
          <span>Editing your last message. Sending it replaces what came after it.</span>
          <span className="push" />
          <IconButton size="xs" icon={X} label="Cancel editing" onClick={props.onEndEdit} />
        </div>
      )}
      <Textarea
        ref={field}
        variant="unstyled"
        autosize
        minRows={1}
        maxRows={8}
        aria-label="Message"
        placeholder={
          status === 'asking'
            ? 'Or tell it what to do instead'
            : conversationId === null
              ? 'Ask a question or describe a task'
              : 'Reply'
        }
        value={text}
        onChange={event => setText(event.currentTarget.value)}
        error={text.length > maxMessageLength}
        onKeyDown={event => {
          if (event.nativeEvent.isComposing) return
          const isModified = event.ctrlKey || event.metaKey
          if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
            // With nothing typed, ⌘↵ decides about the call that waits.
            if (isModified && text.trim() === '') return
            event.preventDefault()
            void send()
          } else if (event.key === 'ArrowUp' && text === '' && onEditLast !== null && !isModified) {
            event.preventDefault()
            onEditLast()
          } else if (event.key === 'Escape' && editing !== null) {
            event.preventDefault()
            props.onEndEdit()
          }
        }}
      />
      <div className={classes.composerRow}>
        <AddEvent
          onAdd={json => {
            setText(typed => `${typed}${typed === '' || typed.endsWith('\n') ? '' : '\n'}${json}\n`)
            field.current?.focus()
          }}
        />
        {tools !== undefined && <span className="sm t3 nowrap">{formatCount(tools, 'tool')}</span>}
        {text.length > maxMessageLength && (
          <span className="sm bad cut" role="alert">
            {formatCount(text.length - maxMessageLength, 'character')} too long
          </span>
        )}
        <span className="push" />
        {isAnswering ? (
          <KeyButton size="xs" icon={Square} keys="escape" disabled={isStopping} onClick={props.onStop}>
            Stop
          </KeyButton>
        ) : editing !== null ? (
          <Button size="xs" variant="filled" disabled={!canSend} onClick={() => void send()}>
            Replace and send
          </Button>
        ) : (
          <Tooltip label="Send (↵)">
            <ActionIcon
              variant={canSend ? 'filled' : 'default'}
              color="cobalt"
              aria-label="Send"
              aria-disabled={!canSend || undefined}
              data-off={!canSend || undefined}
              onClick={() => void send()}
            >
              <Send />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
    </div>
  )
}

type SetText = (next: string | ((before: string) => string)) => void

/**
 * Keeps what is typed into each conversation while the page is open, and over a reload. A message that is edited starts
 * with its text.
 */
function useMessage(conversationId: string | null, editing: string | null) {
  const { workspace } = useWorkspace()
  const place = conversationId ?? `new/${workspace?.workspaceId}`
  const key = ['session', 'draft', place, editing]
  const name = JSON.stringify(key)
  const storedAs = `message/${place}/${editing === null ? 'new' : 'edited'}`
  const kept = () => queries.getQueryData<string>(key)
  const open = (): Message => {
    const stored = kept() === undefined ? drafts.take(storedAs) : null
    const { text } = stored?.values ?? {}
    if (stored === null || typeof text !== 'string')
      return { name, text: kept() ?? editing ?? '', at: null, missing: [] }
    return { name, text, at: stored.at, missing: stored.missing }
  }
  const [message, setMessage] = useState(open)
  const current = message.name === name ? message : open()
  if (current !== message) setMessage(current)
  const set: SetText = next =>
    setMessage(before => {
      const { text: typed, at, missing } = before.name === name ? before : open()
      const text = typeof next === 'string' ? next : next(typed)
      queries.setQueryData<string>(key, text)
      if (text === (editing ?? '')) drafts.forget(storedAs)
      else drafts.keep(storedAs, storedOf(text))
      return { name, text, at: text === '' ? null : at, missing }
    })
  const { text, at } = current
  const storeAgain = useEffectEvent(() => at !== null && drafts.keep(storedAs, storedOf(text), at))
  // What is read is deleted.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once it is open
  useEffect(() => void storeAgain(), [storedAs])
  const restored = at === null ? null : { at, missing: current.missing }
  const note = <RestoredNote restored={restored} onDiscard={() => set('')} onClose={() => set('')} />
  return { text, setText: set, note }
}

const storedOf = (text: string) => () => {
  const rest = textWithoutSecrets(text)
  return { values: { text: rest }, before: {}, missing: rest === text ? [] : ['credentials in the message'] }
}

/** A text with the name of its place. `at` is when it was typed, and `missing` what was not stored, if on an earlier page. */
type Message = {
  readonly name: string
  readonly text: string
  readonly at: number | null
  readonly missing: readonly string[]
}
