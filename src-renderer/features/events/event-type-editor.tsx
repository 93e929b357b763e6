import { Button, Menu, TextInput } from '@mantine/core'
import { ArrowDownLeft, ChevronDown, Trash2 } from 'lucide-react'
import { useEffect, useEffectEvent, useId, useRef } from 'react'
import { EventType } from '#shared/model/event-type.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { Variable } from '../../ui/badges.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { useDraft } from '../../ui/draft/use-draft.tsx'
import { wantNext } from '../../ui/focus.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { JsonEditor, type JsonEditorHandle } from '../../ui/json-editor.tsx'
import { BackButton } from '../../ui/master-detail.tsx'
import { Note } from '../../ui/note.tsx'
import pane from '../../ui/pane.module.css'
import { toastDone } from '../../ui/toasts.tsx'
import { useUndo } from '../../ui/undo.tsx'
import { useCommand } from '../../ui/use-command.ts'
import {
  draftProblems,
  draftVariables,
  type EventDraft,
  eventFields,
  toChange,
  toDraft,
  toFields,
} from './event-draft.ts'
import { EventWorkflows } from './event-workflows.tsx'
import classes from './events.module.css'
import { platformEvents } from './platform-events.ts'
import { PlatformRemark } from './send-answer.tsx'
import type { useLastReceived } from './use-send-event.ts'

/** Changes an event type, or declares a new one. */
export function EventTypeEditor(props: {
  /** Null for a new one. */
  readonly type: EventType | null
  /** The initial name of a new one. Its sample is then the payload received last. */
  readonly name: string
  readonly onSaved: (eventTypeId: string) => void
  readonly onLeave: () => void
  /** Called even if something else is open by then. */
  readonly onRemoved: (eventTypeId: string) => void
  readonly lastReceived: ReturnType<typeof useLastReceived>
  /** The names that are declared. */
  readonly taken: readonly string[]
  /** Called with each draft, and with null when the editor closes. */
  readonly onDraft: (draft: EventDraft | null) => void
}) {
  const { type, name, onSaved, onLeave, onRemoved, lastReceived, onDraft } = props
  const { connectionId } = useCurrentConnection()
  const offerUndo = useUndo()
  const sampleLabel = useId()
  const editor = useRef<JsonEditorHandle>(null)
  const isNew = type === null
  const refresh = () => queries.invalidateQueries({ queryKey: api.eventTypes.key() })
  const { draft, changed, change, prefill, problems, saveBar } = useDraft<EventDraft, EventType | null>({
    storedAs: `event-type/${type?.eventTypeId ?? `new/${connectionId}`}`,
    fields: eventFields,
    saved: type,
    draftOf: toDraft,
    read: EventType.parse,
    validate: draftProblems,
    async save(sent, changed, before) {
      const kept =
        before === null
          ? await client.eventTypes.create({ connectionId, ...toFields(sent) })
          : await client.eventTypes.update({
              ...{ connectionId, eventTypeId: before.eventTypeId, ifUpdatedAt: before.updatedAt },
              ...toChange(sent, changed),
            })
      await refresh()
      toastDone(`Event type “${kept.eventName}” ${isNew ? 'declared' : 'saved'}`)
      return kept
    },
    onSaved({ eventTypeId }) {
      if (isNew) wantNext()
      onSaved(eventTypeId)
    },
    onDiscard: () => isNew && onLeave(),
    name: isNew ? 'the new event type' : `the event type ${type.eventName}`,
    failed: 'The event type was not saved',
    unsaved: isNew ? 'Not declared yet' : undefined,
    saveLabel: isNew ? 'Declare event type' : 'Save',
  })
  const { eventName, label, sampleText } = draft
  useEffect(() => onDraft({ eventName, label, sampleText }), [onDraft, eventName, label, sampleText])
  useEffect(() => () => onDraft(null), [onDraft])

  async function fillFromLast(): Promise<void> {
    const sampleText = await lastReceived(eventName)
    if (sampleText !== null) change({ sampleText })
  }

  // The user may have begun a sample meanwhile.
  const suggestSample = useEffectEvent((suggested: string | null) => {
    if (suggested !== null && sampleText === '') prefill({ sampleText: suggested })
  })
  // Declaring a received name starts with the payload received last.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the form opens
  useEffect(() => {
    if (!isNew || name === '') return
    prefill({ eventName: name })
    void lastReceived(name, true).then(suggested => suggestSample(suggested))
  }, [])

  const remove = useCommand(
    (gone: EventType) => client.eventTypes.remove({ connectionId, eventTypeId: gone.eventTypeId }),
    gone => `Event type “${gone.eventName}” was not deleted`,
    async (_deleted, gone) => {
      onRemoved(gone.eventTypeId)
      await refresh()
      offerUndo({
        done: `Event type “${gone.eventName}” deleted`,
        undone: `Event type “${gone.eventName}” is back`,
        undo: async () => {
          await client.eventTypes.create({ connectionId, ...toFields(toDraft(gone)) })
          await refresh()
        },
      })
    },
  )

  return (
    <section className={pane.pane} data-editor aria-label={isNew ? 'New event type' : type.eventName}>
      <div className={pane.bar}>
        <BackButton />
        <h2 className={isNew ? 'h2 cut' : 'mono cut w6'} style={isNew ? undefined : { fontSize: 14 }}>
          {isNew ? 'New event type' : type.eventName}
        </h2>
        <span className="push" />
        {isNew && <PlatformEventMenu taken={props.taken} onChoose={change} />}
        <Button
          variant="subtle"
          leftSection={<ArrowDownLeft />}
          disabled={eventName === ''}
          onClick={() => void fillFromLast()}
        >
          From last event
        </Button>
        {!isNew && (
          <IconButton
            isWriting
            icon={Trash2}
            label="Delete event type"
            // The second click of a double click would delete the next event type.
            onClick={({ detail }) => detail < 2 && !remove.isPending && remove.mutate(type)}
          />
        )}
      </div>
      <div className="scroll">
        <div className={classes.form}>
          <div className="pair">
            <TextInput
              label="Event name"
              size="sm"
              classNames={{ input: 'mono' }}
              placeholder="order.paid"
              value={eventName}
              error={problems.eventName}
              description={
                !isNew && changed.includes('eventName')
                  ? `Events named ${type.eventName} are then accepted without a declaration.`
                  : undefined
              }
              autoFocus={isNew && name === ''}
              onChange={event => change({ eventName: event.currentTarget.value })}
            />
            <TextInput
              label="Label"
              size="sm"
              placeholder="Order paid"
              value={label}
              error={problems.label}
              autoFocus={isNew && name !== ''}
              onChange={event => change({ label: event.currentTarget.value })}
            />
          </div>
          <PlatformRemark eventName={eventName} />
          <div>
            <div className={classes.label}>
              <span id={sampleLabel}>Sample payload</span>
              <span className={`t3 ${classes.hint}`}>
                the fields of <code>data</code>
              </span>
              <span className="push" />
              <Button variant="subtle" size="xs" onClick={() => editor.current?.format()}>
                Format
              </Button>
            </div>
            <JsonEditor
              ref={editor}
              label="Sample payload"
              value={sampleText}
              onChange={sampleText => change({ sampleText })}
              minLines={8}
              maxLines={20}
            />
            {problems.sampleText !== undefined && (
              <div style={{ marginTop: 6 }}>
                <Note tone="bad">{problems.sampleText}</Note>
              </div>
            )}
          </div>
          <div>
            <div className={classes.label}>
              Variables for workflows <span className={`t3 ${classes.hint}`}>click to copy</span>
            </div>
            <div className={classes.variables}>
              {draftVariables(draft).map(variable => (
                <CopyVariable key={variable} name={variable} />
              ))}
            </div>
          </div>
          {type !== null && <EventWorkflows connectionId={connectionId} eventName={type.eventName} />}
        </div>
      </div>
      {saveBar}
    </section>
  )
}

/** Offers the webhook events of the platform that are not declared yet. */
function PlatformEventMenu(props: {
  readonly taken: readonly string[]
  readonly onChoose: (draft: EventDraft) => void
}) {
  const offered = platformEvents.filter(({ eventName }) => !props.taken.includes(eventName))
  if (offered.length === 0) return null
  return (
    <Menu position="bottom-end" width={300}>
      <Menu.Target>
        <Button variant="subtle" rightSection={<ChevronDown />}>
          Platform event
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {offered.map(({ eventName, label, samplePayload }) => (
          <Menu.Item
            key={eventName}
            onClick={() =>
              props.onChoose({
                eventName,
                label: label ?? '',
                sampleText: JSON.stringify(samplePayload, null, 2),
              })
            }
          >
            <span className="row" style={{ justifyContent: 'space-between' }}>
              <code>{eventName}</code>
              <span className="sm t3">{label}</span>
            </span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function CopyVariable({ name }: { readonly name: string }) {
  const text = `{{${name}}}`
  const copy = () => void copyWithToast(text, 'Variable', undefined, `Variable “${text}” copied`)
  return (
    <button type="button" className="bare" onClick={copy} title={`Copy ${text}`}>
      <Variable name={name} />
    </button>
  )
}
