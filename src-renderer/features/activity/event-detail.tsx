import { Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CirclePlus, Copy, Diff, Eraser, Hash, RotateCw, SquarePen, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { runsStage } from '../../entities/run/event-runs.ts'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { KeyButton } from '../../ui/keys.tsx'
import { type MenuEntry, MoreMenu } from '../../ui/more-menu.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { WriteButton } from '../../ui/write-button.tsx'
import { CompareDialog } from './compare-dialog.tsx'
import classes from './detail.module.css'
import { DetailBar } from './detail-bar.tsx'
import { EditAndSendDialog } from './edit-and-send-dialog.tsx'
import { EventFacts } from './event-facts.tsx'
import { useEventRuns } from './event-runs.tsx'
import { EventView } from './event-view.tsx'
import { NotOpen } from './other-details.tsx'
import type { EventItem } from './rows.ts'
import { isStored, type ShownEvent, trailOf } from './shown-event.ts'
import { useActivityPlace } from './use-activity-place.ts'
import { useEvent, useEventCommands } from './use-event.ts'

const group = 'Activity'

/** An event: its processing steps, its payload, and the actions on it. */
export function EventDetail(props: {
  readonly item: EventItem
  /** Called before another event is raised from this one. */
  readonly onRaise: () => void
}) {
  const { item, onRaise } = props
  const { connectionId } = useCurrentConnection()
  const { data: event, error } = useEvent(connectionId, item.eventId)
  if (event !== undefined) return <Loaded shown={{ item, event }} onRaise={onRaise} />
  return error !== null && <NotOpen error={error} />
}

function Loaded({ shown, onRaise }: { readonly shown: ShownEvent; readonly onRaise: () => void }) {
  const { connectionId } = useCurrentConnection()
  const place = useActivityPlace()
  const commands = useEventCommands(connectionId)
  const [dialog, setDialog] = useState<'edit' | 'compare' | null>(null)
  const { eventId, eventName, dataText } = shown.event
  const canReplay = isStored(shown)
  function replay(): void {
    onRaise()
    commands.replay(eventId)
  }
  function edit(): void {
    onRaise()
    setDialog('edit')
  }
  const remove = () => commands.remove(eventId, eventName, place.close)
  const entries: readonly MenuEntry[] = [
    { icon: Copy, label: 'Copy payload', run: () => void copyWithToast(dataText, 'Payload') },
    { icon: Hash, label: 'Copy event ID', run: () => void copyWithToast(eventId, 'Event ID') },
    { icon: CirclePlus, label: `Show only ${eventName}`, run: () => place.set({ eventName }) },
    {
      ...{ icon: Trash2, label: 'Delete stored event', isDanger: true, isOff: !canReplay },
      ...{ keys: canReplay && 'backspace', run: remove },
    },
    { icon: Eraser, label: 'Delete all stored events', isDanger: true, run: commands.clear },
  ]
  useShortcut({ keys: 'r', label: 'Replay the event', group }, replay, canReplay)
  useShortcut({ keys: 'e', label: 'Edit and send the event', group }, edit)
  useShortcut({ keys: 'd', label: 'Compare with another event', group }, () => setDialog('compare'))
  useShortcut({ keys: 'backspace', label: 'Delete the stored event', group }, remove, canReplay)
  useShortcut({ keys: 'delete', label: 'Delete the stored event', group }, remove, canReplay)
  const close = () => setDialog(null)
  return (
    <section className={classes.detail} aria-label={eventName}>
      <DetailBar status={200} title={eventName} at={shown.item.at}>
        <Tooltip
          label="Only stored events can be replayed. Edit and send creates a new one"
          disabled={canReplay}
        >
          <WriteButton
            icon={RotateCw}
            keys={canReplay && 'r'}
            data-disabled={!canReplay || undefined}
            aria-disabled={!canReplay}
            loading={commands.isReplaying}
            onClick={() => canReplay && replay()}
          >
            Replay
          </WriteButton>
        </Tooltip>
        <KeyButton icon={SquarePen} keys="e" onClick={edit}>
          Edit and send
        </KeyButton>
        <IconButton icon={Diff} label="Compare with another event" onClick={() => setDialog('compare')} />
        <MoreMenu name={eventName} title="More: copy, delete" width={232} entries={entries} />
      </DetailBar>
      <div className={classes.section}>
        <Trail shown={shown} />
      </div>
      <EventView event={shown.event} />
      <EventFacts shown={shown} />
      {dialog === 'edit' && <EditAndSendDialog eventName={eventName} dataText={dataText} onClose={close} />}
      {dialog === 'compare' && <CompareDialog shown={shown} onClose={close} />}
    </section>
  )
}

/** The processing steps of an event, and the runs that it started. */
function Trail({ shown }: { readonly shown: ShownEvent }) {
  const { eventId, type } = shown.item
  const runs = useEventRuns(eventId)
  const isDuplicate = shown.event.duplicateOf !== null
  const stage =
    runs === undefined || type === 'event.repeated'
      ? []
      : [{ ...runsStage(runs, isDuplicate), run: runs[0]?.runId }]
  const steps = [...trailOf(shown).map(step => ({ ...step, run: undefined })), ...stage]
  return (
    <ol className={classes.trail} aria-label="What happened">
      {steps.map(({ name, detail, tone, run }) => (
        <li key={name} data-tone={tone}>
          <div className="w5 cut">
            {run === undefined ? (
              name
            ) : (
              <Link className="link" to="/workflows/runs" search={{ event: eventId, run }}>
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
