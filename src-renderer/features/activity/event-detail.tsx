import { Button, Menu, Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CirclePlus, Copy, Diff, Eraser, Hash, RotateCw, SquarePen, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { readEventText } from '../../entities/event/event-text.ts'
import { runsStage } from '../../entities/run/event-runs.ts'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { EmptyState, ErrorState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { KeyButton, Keys } from '../../ui/keys.tsx'
import { MoreMenu } from '../../ui/more-menu.tsx'
import { Note } from '../../ui/note.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { CompareDialog } from './compare-dialog.tsx'
import classes from './detail.module.css'
import { DetailBar } from './detail-bar.tsx'
import { EditAndSendDialog } from './edit-and-send-dialog.tsx'
import type { Entry, LiveEvent } from './entry.ts'
import { EventFacts } from './event-facts.tsx'
import { useEventRuns } from './event-runs.tsx'
import { EventView } from './event-view.tsx'
import { type ShownEvent, trailOf } from './shown-event.ts'
import { useActivityPlace } from './use-activity-place.ts'
import { useEvent, useEventCommands } from './use-event.ts'

const group = 'Activity'

/** An event: its processing steps, its payload, and the actions on it. */
export function EventDetail(props: {
  readonly eventId: string
  /** Null if the feed does not have it. */
  readonly live: LiveEvent | null
  /** The events to compare it with. */
  readonly entries: readonly Entry[]
  /** Called before another event is raised from this one. */
  readonly onRaise: () => void
}) {
  const { eventId, live, entries, onRaise } = props
  const { connectionId } = useCurrentConnection()
  const { event, isPending, error } = useEvent(connectionId, eventId, live)
  const place = useActivityPlace()
  if (event !== null) return <Loaded event={event} entries={entries} onRaise={onRaise} />
  if (isPending) return null
  return error === null ? (
    <EmptyState title="This event is no longer kept" actions={<Button onClick={place.close}>Close</Button>}>
      It was deleted, or replaced by newer events. Its ID was <code>{eventId}</code>.
    </EmptyState>
  ) : (
    <ErrorState title="The event could not be read" error={error} />
  )
}

function Loaded(props: {
  readonly event: ShownEvent
  readonly entries: readonly Entry[]
  readonly onRaise: () => void
}) {
  const { event, entries, onRaise } = props
  const { connectionId } = useCurrentConnection()
  const place = useActivityPlace()
  const commands = useEventCommands(connectionId)
  const [dialog, setDialog] = useState<'edit' | 'compare' | null>(null)
  const { eventId, eventName, bodyText, isCut, keeping } = event
  const dataText = useMemo(() => readEventText(bodyText)?.dataText ?? null, [bodyText])
  const isStored = keeping === 'stored'
  const canEdit = dataText !== null
  function replay(): void {
    onRaise()
    commands.replay(eventId)
  }
  function edit(): void {
    onRaise()
    setDialog('edit')
  }
  const remove = () => commands.remove(eventId, eventName, place.close)
  useShortcut({ keys: 'r', label: 'Replay the event', group }, replay, isStored)
  useShortcut({ keys: 'e', label: 'Edit and send the event', group }, edit, canEdit)
  useShortcut({ keys: 'd', label: 'Compare with another event', group }, () => setDialog('compare'), canEdit)
  useShortcut({ keys: 'backspace', label: 'Delete the stored event', group }, remove, isStored)
  useShortcut({ keys: 'delete', label: 'Delete the stored event', group }, remove, isStored)
  const close = () => setDialog(null)
  return (
    <section className={classes.detail} aria-label={eventName}>
      <DetailBar status={200} title={eventName} at={event.at}>
        <Tooltip
          label="Only stored events can be replayed. Edit and send creates a new one"
          disabled={isStored}
        >
          <KeyButton
            icon={RotateCw}
            keys={isStored && 'r'}
            data-disabled={!isStored || undefined}
            aria-disabled={!isStored}
            loading={commands.isReplaying}
            onClick={() => isStored && replay()}
          >
            Replay
          </KeyButton>
        </Tooltip>
        <KeyButton icon={SquarePen} keys="e" disabled={!canEdit} onClick={edit}>
          Edit and send
        </KeyButton>
        <IconButton icon={Diff} label="Compare with another event" onClick={() => setDialog('compare')} />
        <MoreMenu name={eventName} title="More: copy, delete" width={232}>
          <Menu.Item
            leftSection={<Copy />}
            onClick={() => void copyWithToast(dataText ?? bodyText, 'Payload')}
          >
            Copy payload
          </Menu.Item>
          <Menu.Item leftSection={<Hash />} onClick={() => void copyWithToast(eventId, 'Event ID')}>
            Copy event ID
          </Menu.Item>
          <Menu.Item leftSection={<CirclePlus />} onClick={() => place.setEventName(eventName)}>
            Show only {eventName}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            leftSection={<Trash2 />}
            rightSection={isStored && <Keys keys="backspace" />}
            color="var(--cc-bad)"
            disabled={!isStored}
            onClick={remove}
          >
            Delete stored event
          </Menu.Item>
          <Menu.Item leftSection={<Eraser />} color="var(--cc-bad)" onClick={commands.clear}>
            Delete all stored events
          </Menu.Item>
        </MoreMenu>
      </DetailBar>
      <div className={classes.section}>
        <Trail event={event} />
      </div>
      {isCut && (
        <div className={classes.section}>
          <Note>Memory keeps only the first 64 KiB, so the payload is shown as text.</Note>
        </div>
      )}
      <EventView event={event} dataText={dataText} />
      <EventFacts event={event} />
      {dialog === 'edit' && dataText !== null && (
        <EditAndSendDialog eventName={eventName} dataText={dataText} onClose={close} />
      )}
      {dialog === 'compare' && dataText !== null && (
        <CompareDialog event={event} dataText={dataText} entries={entries} onClose={close} />
      )}
    </section>
  )
}

/** The processing steps of an event, and the runs that it started. */
function Trail({ event }: { readonly event: ShownEvent }) {
  const runs = useEventRuns(event.eventId)
  const stage = runs === undefined || event.isIgnored ? [] : [{ ...runsStage(runs), run: runs[0]?.runId }]
  const steps = [...trailOf(event).map(step => ({ ...step, run: undefined })), ...stage]
  return (
    <ol className={classes.trail} aria-label="What happened">
      {steps.map(({ name, detail, tone, run }) => (
        <li key={name} data-tone={tone}>
          <div className="w5 cut">
            {run === undefined ? (
              name
            ) : (
              <Link className="link" to="/workflows/runs" search={{ event: event.eventId, run }}>
                {name}
              </Link>
            )}
          </div>
          <div className="t3 num cut">{detail}</div>
        </li>
      ))}
    </ol>
  )
}
