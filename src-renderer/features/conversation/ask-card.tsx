import { Send, ShieldCheck } from 'lucide-react'
import { useRef, useState } from 'react'
import type { ToolCallPart } from '#shared/model/conversation.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { visibleJson } from '#shared/model/text.ts'
import { client } from '../../client/client.ts'
import { exactArguments } from '../../client/exact-arguments.ts'
import { ArgumentField, consequence } from '../../entities/action/argument-field.tsx'
import { type ArgumentValues, readArguments, withEntry } from '../../entities/action/argument-values.ts'
import { Method } from '../../ui/badges.tsx'
import { JsonBlock } from '../../ui/code-block.tsx'
import { useTransientFocus } from '../../ui/focus.ts'
import { Note } from '../../ui/note.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import { askedValues } from './asked-values.ts'
import classes from './conversation.module.css'

/** Asks whether a call may be made. Its arguments can be changed before. */
export function AskCard(props: {
  readonly conversationId: string
  readonly call: ToolCallPart
  /** Null if the action is not known: its arguments cannot be changed then. */
  readonly parameters: readonly Parameter[] | null
  readonly connectionName: string | null
  readonly host: string
  /** Whether the shortcuts are for this card: several calls may wait. */
  readonly hasKeys: boolean
}) {
  const { conversationId, call, parameters, connectionName, host, hasKeys } = props
  const { toolCallId, toolName, method } = call
  const form = useRef<HTMLFormElement>(null)
  /** Null until an argument is changed. */
  const [changed, setChanged] = useState<ArgumentValues | null>(null)
  const [isAttempted, setIsAttempted] = useState(false)
  const decide = useCommand(client.conversations.decide, 'The decision was not saved')
  const given = exactArguments(call)
  const asked = askedValues(parameters ?? [], given)
  const values = changed ?? asked.values
  const read = readArguments(parameters ?? [], values)
  const isBusy = decide.isPending || decide.isSuccess
  const transient = useTransientFocus(isBusy)

  function allow(decision: 'once' | 'always'): void {
    if (isBusy) return
    // Unchanged arguments are sent to the letter, whatever this browser makes of their numbers.
    const isUnchanged = parameters === null || (changed === null && asked.fits)
    if (isUnchanged || read.arguments !== null) {
      // As text, because the transport would copy an exact number as an object.
      const argumentsText = isUnchanged ? undefined : JSON.stringify(read.arguments)
      decide.mutate({ conversationId, toolCallId, decision, argumentsText })
      return
    }
    setIsAttempted(true)
    const [first = ''] = read.problems.keys()
    const field = form.current?.querySelector(`[data-argument="${CSS.escape(first)}"]`)
    const input = field?.querySelector('input, [contenteditable="true"]')
    if (input instanceof HTMLElement) input.focus()
  }
  const decline = () => !isBusy && decide.mutate({ conversationId, toolCallId, decision: 'decline' })
  const group = 'Conversation'
  useShortcut({ keys: 'mod+enter', label: 'Call once', group }, () => allow('once'), hasKeys)
  useShortcut({ keys: 'escape', label: 'Don’t call', group }, decline, hasKeys)

  return (
    <section
      className={classes.card}
      data-tone="warn"
      aria-label={`Call ${toolName}?`}
      style={{ containerType: 'inline-size' }}
      {...transient}
    >
      <div className={classes.cardHead}>
        <ShieldCheck size={16} />
        <h3 className="h3">
          Call <code>{call.name}</code> on {connectionName ?? 'an unknown connection'}?
        </h3>
        <span className="push" />
        {method !== null && <Method method={method} />}
      </div>
      <form
        ref={form}
        onSubmit={event => {
          event.preventDefault()
          allow('once')
        }}
      >
        {parameters === null ? (
          <JsonBlock text={visibleJson(JSON.stringify(given, null, 2))} label="Arguments" wrap />
        ) : (
          parameters.length > 0 && (
            <div className={classes.arguments}>
              {parameters.map(parameter => (
                <ArgumentField
                  key={parameter.name}
                  compact
                  parameter={parameter}
                  entry={Object.hasOwn(values, parameter.name) ? values[parameter.name] : undefined}
                  // The model's arguments are checked at once, a person's changes when they are sent.
                  problem={changed === null || isAttempted ? read.problems.get(parameter.name) : undefined}
                  warning={read.warnings.get(parameter.name)}
                  onChange={entry => setChanged(withEntry(values, parameter.name, entry))}
                />
              ))}
            </div>
          )
        )}
        {asked.unknown.length > 0 && parameters !== null && (
          <Note tone="warn">
            Left out, because the tool has no such parameter: {asked.unknown.join(', ')}.
          </Note>
        )}
        <div className={classes.cardActions}>
          <WriteButton
            type="submit"
            variant="filled"
            icon={Send}
            keys={hasKeys && 'mod+enter'}
            disabled={isBusy}
          >
            Call once
          </WriteButton>
          {method !== 'DELETE' && (
            <WriteButton disabled={isBusy} onClick={() => allow('always')}>
              Always in this conversation
            </WriteButton>
          )}
          <WriteButton variant="subtle" keys={hasKeys && 'escape'} disabled={isBusy} onClick={decline}>
            Don’t call
          </WriteButton>
        </div>
      </form>
      {method !== null && <p className={classes.consequence}>{consequence(method, host)}</p>}
    </section>
  )
}
