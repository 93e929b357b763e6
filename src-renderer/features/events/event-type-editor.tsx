import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ArrowDownLeft, Trash2 } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import type { EventType } from '#shared/model/event-type.ts'
import { api, client } from '../../client/client.ts'
import { fieldErrors } from '../../client/problem.ts'
import { Variable } from '../../ui/badges.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { useIsMounted } from '../../ui/focus.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { JsonEditor, type JsonEditorHandle } from '../../ui/json-editor.tsx'
import { Note } from '../../ui/note.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { toastDone, toastProblem, toastUnlessInvalid } from '../../ui/toasts.tsx'
import { useUndo } from '../../ui/undo.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useUnsavedGuard } from '../../ui/use-unsaved-guard.tsx'
import { useCurrentConnection } from '../connections/current-connection.tsx'
import { draftProblems, draftVariables, type EventDraft, toDraft, toFields } from './event-draft.ts'
import classes from './events.module.css'

/**
 * An event type to change or, with `type` null, to declare.
 *
 * @param props.name what a new one is called at first; its sample is then what came last.
 */
export function EventTypeEditor(props: {
  readonly type: EventType | null
  readonly name: string
  readonly onSaved: (eventTypeId: string) => void
  readonly onLeave: () => void
  /** Told also when another one is open by then, or another screen. */
  readonly onRemoved: (eventTypeId: string) => void
  readonly lastReceived: (eventName: string) => Promise<string | null>
  /** Told what is written here, saved or not; null when it closes. */
  readonly onDraft: (draft: EventDraft | null) => void
  /** Where the list is not in sight: the way to it. */
  readonly back: ReactNode
}) {
  const { type, name, onSaved, onLeave, onRemoved, lastReceived, onDraft, back } = props
  const { connectionId } = useCurrentConnection()
  const queries = useQueryClient()
  const offerUndo = useUndo()
  const sampleLabel = useId()
  const editor = useRef<JsonEditorHandle>(null)
  const isMounted = useIsMounted()
  /** While what is unsaved is saved on the way elsewhere. */
  const isLeaving = useRef(false)
  const [isTold, setIsTold] = useState(false)
  const saved: EventDraft = type === null ? { eventName: '', label: '', sampleText: '' } : toDraft(type)
  const { draft, changed, isDirty, set, discard, settle } = useDraft(saved)
  const { eventName, label, sampleText } = draft
  useEffect(() => onDraft({ eventName, label, sampleText }), [onDraft, eventName, label, sampleText])
  useEffect(() => () => onDraft(null), [onDraft])
  const refresh = () => queries.invalidateQueries({ queryKey: api.eventTypes.key() })

  async function fillFromLast(eventName: string): Promise<void> {
    try {
      const sampleText = await lastReceived(eventName)
      if (sampleText !== null) change({ sampleText })
      else toastDone('No event of this name is kept', 'Switch on “Log inbound events” to keep them.')
    } catch (error) {
      toastProblem('The last event could not be read', error)
    }
  }

  // The answer may come when a sample is being written already.
  const suggestSample = useEffectEvent((sampleText: string | null) => {
    if (sampleText !== null && draft.sampleText === '') set({ sampleText })
  })
  // A name that came in without being declared brings its last payload along.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the form opens
  useEffect(() => {
    if (type !== null || name === '') return
    set({ eventName: name })
    lastReceived(name).then(
      sampleText => suggestSample(sampleText),
      error => toastProblem('The last event could not be read', error),
    )
  }, [])

  const save = useMutation({
    mutationFn: async (sent: EventDraft) => {
      const fields = toFields(sent)
      return type === null
        ? client.eventTypes.create({ connectionId, ...fields })
        : client.eventTypes.update({ connectionId, eventTypeId: type.eventTypeId, ...fields })
    },
    async onSuccess(kept, sent) {
      await refresh()
      settle(sent)
      setIsTold(false)
      toastDone(`Event type “${kept.eventName}” ${type === null ? 'declared' : 'saved'}`)
      if (isMounted() && !isLeaving.current) onSaved(kept.eventTypeId)
    },
    onError: (error, sent) =>
      toastUnlessInvalid('The event type was not saved', error, [
        { label: 'Try again', run: () => save.mutate(sent) },
      ]),
  })
  const remove = useMutation({
    mutationFn: (gone: EventType) =>
      client.eventTypes.remove({ connectionId, eventTypeId: gone.eventTypeId }),
    async onSuccess(_deleted, gone) {
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
    onError: (error, gone) => toastProblem(`Event type “${gone.eventName}” was not deleted`, error),
  })

  const problems = draftProblems(draft)
  const answered = fieldErrors(save.error)
  const told = { ...(isTold ? problems : {}), ...answered }
  const isNew = type === null
  const saveLabel = isNew ? 'Declare event type' : 'Save'
  useUnsavedGuard({
    isDirty: isDirty && !save.isPending && !save.isSuccess,
    what: isNew ? 'the new event type' : `the event type ${type.eventName}`,
    saveLabel,
    async save() {
      isLeaving.current = true
      return trySave().finally(() => {
        isLeaving.current = false
      })
    },
  })

  async function trySave(): Promise<boolean> {
    setIsTold(true)
    if (Object.keys(problems).length > 0) return false
    return save.mutateAsync(draft).then(
      () => true,
      () => false,
    )
  }
  function change(next: Partial<EventDraft>) {
    set(next)
    save.reset()
  }

  return (
    <section className={classes.pane} aria-label={isNew ? 'New event type' : type.eventName}>
      <div className={classes.bar}>
        {back}
        <h2 className={isNew ? 'h2 cut' : 'mono cut w6'} style={isNew ? undefined : { fontSize: 14 }}>
          {isNew ? 'New event type' : type.eventName}
        </h2>
        <span className="push" />
        <Button
          variant="subtle"
          leftSection={<ArrowDownLeft />}
          disabled={draft.eventName === ''}
          onClick={() => void fillFromLast(draft.eventName)}
        >
          From last event
        </Button>
        {type !== null && (
          <IconButton
            icon={Trash2}
            label="Delete event type"
            // The second press of a double click would be on the one that takes its place.
            onClick={({ detail }) => detail < 2 && !remove.isPending && remove.mutate(type)}
          />
        )}
      </div>
      <div className={classes.scroll}>
        <div className={classes.form}>
          <div className={classes.names}>
            <TextInput
              label="Event name"
              size="sm"
              classNames={{ input: 'mono' }}
              placeholder="order.paid"
              value={draft.eventName}
              error={told.eventName}
              description={
                !isNew && changed.includes('eventName')
                  ? `Events named ${type.eventName} will be accepted as undeclared ones.`
                  : undefined
              }
              autoFocus={isNew && name === ''}
              onChange={event => change({ eventName: event.currentTarget.value })}
            />
            <TextInput
              label="Label"
              size="sm"
              placeholder="Order paid"
              value={draft.label}
              error={answered.label}
              onChange={event => change({ label: event.currentTarget.value })}
            />
          </div>
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
              value={draft.sampleText}
              onChange={sampleText => change({ sampleText })}
              minLines={8}
              maxLines={20}
            />
            {told.sampleText !== undefined && (
              <div style={{ marginTop: 6 }}>
                <Note tone="bad">{told.sampleText}</Note>
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
        </div>
      </div>
      {(isDirty || isNew) && (
        <SaveBar
          what={
            isNew
              ? 'Not declared yet'
              : `Unsaved: ${changed.map(field => fieldNames[field] ?? field).join(', ')}`
          }
          saveLabel={saveLabel}
          saving={save.isPending}
          onSave={() => void trySave()}
          onDiscard={() => {
            discard()
            save.reset()
            setIsTold(false)
            if (isNew) onLeave()
          }}
        />
      )}
    </section>
  )
}

const fieldNames: Readonly<Record<string, string>> = {
  eventName: 'event name',
  label: 'label',
  sampleText: 'sample payload',
}

function CopyVariable({ name }: { readonly name: string }) {
  const text = `{{${name}}}`
  const copy = () => void copyWithToast(text, 'Variable', undefined, `Variable “${text}” copied`)
  return (
    <button type="button" onClick={copy} title={`Copy ${text}`}>
      <Variable name={name} />
    </button>
  )
}
