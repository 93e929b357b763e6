import { Button } from '@mantine/core'
import { ArrowDown, ArrowRight, CircleX, RotateCw, Scissors, SquarePen } from 'lucide-react'
import { Fragment, memo, type ReactNode, useCallback, useMemo, useRef } from 'react'
import {
  type Conversation,
  type FormPart,
  type Message,
  type ToolCallPart,
  textOf,
} from '#shared/model/conversation.ts'
import { useActions } from '../../entities/action/use-actions.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { AskCard } from './ask-card.tsx'
import { CallLine } from './call-line.tsx'
import classes from './conversation.module.css'
import { Form } from './form-line.tsx'
import { Markdown } from './markdown.tsx'
import { ReasoningLine } from './reasoning-line.tsx'
import { SearchLine } from './search-line.tsx'
import { hostOf } from './server-labels.ts'
import { useStickToEnd } from './use-stick-to-end.ts'

type Named = { readonly name: string; readonly baseUrl: string | null }
const caret = <span className={classes.caret} aria-hidden="true" />

/** The messages of a conversation, the newest last. Stays at the end while the reader is there. */
export function MessageLog(props: {
  readonly conversation: Conversation
  readonly connectionOf: (connectionId: string) => Named | undefined
  readonly openCalls: ReadonlySet<string>
  readonly onToggleCall: (toolCallId: string) => void
  /** Null if the last message cannot be edited now. */
  readonly onEditLast: (() => void) | null
  /** Null if there is nothing to answer again now. */
  readonly onRetry: (() => void) | null
  /** Null if an answer cannot be continued now. */
  readonly onContinue: (() => void) | null
  readonly onChooseModel: () => void
}) {
  const { conversation, connectionOf, openCalls, onToggleCall, onEditLast } = props
  const { conversationId, messages, status } = conversation
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const last = messages.at(-1)
  const lastOfUser = messages.findLast(({ role }) => role === 'user')
  // A message just sent is shown, wherever its writer has scrolled to.
  const place = lastOfUser?.messageId ?? conversationId
  const { isAtEnd, scrollToEnd, stay } = useStickToEnd(scroller, content, place)
  const formWithKeys = formWithEscape(conversation)?.formId
  const asking =
    last?.parts.flatMap(part => (part.type === 'call' && part.state === 'asking' ? [part] : [])) ?? []
  const toggleCall = useCallback(
    (toolCallId: string) => {
      stay()
      onToggleCall(toolCallId)
    },
    [stay, onToggleCall],
  )
  return (
    <>
      <div
        ref={scroller}
        className={classes.log}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Messages"
      >
        <div ref={content} className={classes.messages}>
          {messages.map(message =>
            message.role === 'user' ? (
              <Fragment key={message.messageId}>
                <Mine message={message} onEdit={message === lastOfUser ? onEditLast : null} />
                {formsOf(message).map(form => (
                  <Form
                    key={form.formId}
                    conversationId={conversationId}
                    form={form}
                    hasKeys={form.formId === formWithKeys}
                    isOpen={openCalls.has(form.formId)}
                    onToggle={toggleCall}
                  />
                ))}
              </Fragment>
            ) : (
              <Answer
                key={message.messageId}
                message={message}
                isLast={message === last}
                isStreaming={message === last && status === 'answering'}
                connectionOf={connectionOf}
                openCalls={openCalls}
                onToggleCall={toggleCall}
              />
            ),
          )}
          {status === 'answering' && last?.role === 'user' && <div>{caret}</div>}
          {asking.map((call, index) => (
            <Ask
              key={call.toolCallId}
              conversationId={conversationId}
              call={call}
              connection={call.connectionId === null ? undefined : connectionOf(call.connectionId)}
              hasKeys={index === 0}
            />
          ))}
          {last?.role === 'assistant' && last.ended !== null && (
            <Ended
              message={last}
              onRetry={props.onRetry}
              onContinue={props.onContinue}
              onChooseModel={props.onChooseModel}
            />
          )}
        </div>
      </div>
      {!isAtEnd && (
        <div style={{ position: 'relative' }}>
          <div className={classes.toEnd}>
            <IconButton size="xs" icon={ArrowDown} label="To the end" onClick={scrollToEnd} />
          </div>
        </div>
      )}
    </>
  )
}

function formsOf({ parts }: Message): FormPart[] {
  return parts.flatMap(part => (part.type === 'form' ? [part] : []))
}

/** Returns the form that Escape dismisses; null while Escape is for something else. */
export function formWithEscape({ messages, status }: Conversation): FormPart | null {
  if (status === 'answering' || status === 'asking') return null
  const asked = messages.findLast(({ role }) => role === 'user')
  return asked === undefined ? null : (formsOf(asked).find(({ state }) => state === 'offered') ?? null)
}

const Mine = memo(function Mine(props: { readonly message: Message; readonly onEdit: (() => void) | null }) {
  const { message, onEdit } = props
  return (
    <div className={classes.mine}>
      {onEdit !== null && (
        <IconButton size="xs" icon={SquarePen} label="Edit the message (↑)" onClick={onEdit} />
      )}
      <p>
        <span className="sr">You: </span>
        {textOf(message)}
      </p>
    </div>
  )
})

const Answer = memo(function Answer(props: {
  readonly message: Message
  readonly isLast: boolean
  readonly isStreaming: boolean
  readonly connectionOf: (connectionId: string) => Named | undefined
  readonly openCalls: ReadonlySet<string>
  readonly onToggleCall: (toolCallId: string) => void
}) {
  const { message, isLast, isStreaming, connectionOf, openCalls, onToggleCall } = props
  const { parts } = message
  const end = parts.at(-1)
  return (
    <div className={classes.answer}>
      {parts.map((part, index) => {
        // biome-ignore-start lint/suspicious/noArrayIndexKey: parts keep their places
        if (part.type === 'text')
          return (
            <Markdown key={index} text={part.text} end={isStreaming && part === end ? caret : undefined} />
          )
        if (part.type === 'reasoning') {
          const id = `${message.messageId}/${index}`
          return (
            <ReasoningLine
              key={index}
              id={id}
              text={part.text}
              isGrowing={isStreaming && part === end}
              isOpen={openCalls.has(id)}
              onToggle={onToggleCall}
            />
          )
        }
        if (part.type === 'search')
          return (
            <SearchLine
              key={index}
              search={part}
              isOpen={openCalls.has(part.toolCallId)}
              onToggle={onToggleCall}
            />
          )
        if (part.type === 'form' || part.state === 'asking') return null
        return (
          <CallLine
            key={index}
            call={part}
            connectionName={
              part.connectionId === null ? null : (connectionOf(part.connectionId)?.name ?? null)
            }
            isOpen={openCalls.has(part.toolCallId)}
            onToggle={onToggleCall}
          />
        )
        // biome-ignore-end lint/suspicious/noArrayIndexKey: see above
      })}
      {isStreaming && end?.type !== 'text' && <div>{caret}</div>}
      {!isLast && message.ended === 'cut' && <p className={classes.after}>{message.error?.message}</p>}
    </div>
  )
})

function Ask(props: {
  readonly conversationId: string
  readonly call: ToolCallPart
  readonly connection: Named | undefined
  readonly hasKeys: boolean
}) {
  const { call, connection } = props
  const { connectionId, actionId } = call
  const ids = useMemo(() => (connectionId === null ? [] : [connectionId]), [connectionId])
  const actions = useActions(ids)(connectionId ?? '')
  // Nobody can allow what is not shown yet.
  if (actions === null) return null
  const action = actions.find(one => one.actionId === actionId)
  return (
    <AskCard
      conversationId={props.conversationId}
      call={call}
      parameters={action?.parameters ?? null}
      connectionName={connection?.name ?? null}
      host={connection?.baseUrl == null ? 'the external system' : hostOf(connection.baseUrl)}
      hasKeys={props.hasKeys}
    />
  )
}

/** Shows why an answer failed or ended early, and ways to go on. */
function Ended(props: {
  readonly message: Message
  readonly onRetry: (() => void) | null
  readonly onContinue: (() => void) | null
  readonly onChooseModel: () => void
}): ReactNode {
  const { message, onRetry, onContinue, onChooseModel } = props
  const { ended, error } = message
  const canContinue = ended !== 'complete' && message.parts.some(({ type }) => type !== 'reasoning')
  if (ended === 'failed' || ended === 'cut') {
    const title = ended === 'cut' ? 'The answer is cut' : 'The answer failed'
    return (
      <section className={classes.card} data-tone={ended === 'cut' ? 'warn' : 'bad'} aria-label={title}>
        <div className={classes.cardHead}>
          {ended === 'cut' ? <Scissors size={16} /> : <CircleX size={16} />}
          <h3 className="h3">{error?.message ?? `${title}.`}</h3>
        </div>
        {ended === 'failed' && (
          <p className={classes.cardText}>
            {message.parts.length > 0 ? 'The text written so far is kept.' : 'Your message is kept.'}
          </p>
        )}
        <div className={classes.cardActions}>
          {canContinue && (
            <Button
              variant={ended === 'cut' ? 'filled' : undefined}
              leftSection={<ArrowRight />}
              disabled={onContinue === null}
              onClick={() => onContinue?.()}
            >
              Continue
            </Button>
          )}
          <Button
            variant={ended === 'cut' && canContinue ? undefined : 'filled'}
            leftSection={<RotateCw />}
            disabled={onRetry === null}
            onClick={() => onRetry?.()}
          >
            Try again
          </Button>
          <Button onClick={onChooseModel}>Choose another</Button>
          {error !== null && <code className="t3 xs">{error.code}</code>}
        </div>
      </section>
    )
  }
  return (
    <div className={classes.after}>
      {ended === 'stopped' && <span>Stopped by you.</span>}
      {canContinue && onContinue !== null && (
        <Button size="xs" variant="subtle" leftSection={<ArrowRight />} onClick={onContinue}>
          Continue
        </Button>
      )}
      {onRetry !== null && (
        <Button size="xs" variant="subtle" leftSection={<RotateCw />} onClick={onRetry}>
          {ended === 'stopped' ? 'Answer again' : 'Try again'}
        </Button>
      )}
    </div>
  )
}
