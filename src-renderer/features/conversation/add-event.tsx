import { ActionIcon, Popover, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Plus, Search } from 'lucide-react'
import { useState } from 'react'
import { client } from '../../client/client.ts'
import { eventKinds, useFoundOccurrences } from '../../entities/occurrence/use-occurrences.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { formatMinute } from '../../ui/format.ts'
import { toastProblem } from '../../ui/toasts.tsx'
import classes from './add-event.module.css'

const searchDelayMs = 200
const label = 'Add an event'

/** A button that finds an event and adds it to the message as JSON. */
export function AddEvent({ onAdd }: { readonly onAdd: (json: string) => void }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Popover
      opened={isOpen}
      onChange={setIsOpen}
      position="top-start"
      width={340}
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <ActionIcon size="xs" aria-label={label} title={label} onClick={() => setIsOpen(open => !open)}>
          <Plus />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={8} aria-label={label}>
        <Found
          onChoose={json => {
            setIsOpen(false)
            onAdd(json)
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}

function Found({ onChoose }: { readonly onChoose: (json: string) => void }) {
  const { workspace } = useWorkspace()
  const [typed, setTyped] = useState('')
  const [text] = useDebouncedValue(typed.trim().slice(0, 200), searchDelayMs)
  const { items, searched, isFetching } = useFoundOccurrences(
    text === '' || workspace === null
      ? null
      : { text, kinds: eventKinds, limit: 8, workspaceId: workspace.workspaceId },
  )
  const events = items.filter(item => 'eventId' in item)

  async function choose(event: (typeof events)[number] | undefined): Promise<void> {
    if (event === undefined) return
    try {
      const { connectionId, eventId } = event
      const { eventName, dataText } = await client.events.get({ connectionId, eventId })
      onChoose(`Event ${eventName}: ${dataText}`)
    } catch (error) {
      toastProblem('The event was not added', error)
    }
  }
  const status =
    text === ''
      ? 'An order number, a name, any text of the event.'
      : events.length > 0
        ? ''
        : isFetching || text !== typed.trim()
          ? 'Searching…'
          : searched === null
            ? `No event contains “${text}”.`
            : `No event since ${formatMinute(searched.backTo)} contains “${text}”. Older ones were not searched.`
  return (
    <>
      <TextInput
        size="sm"
        type="search"
        data-autofocus
        leftSection={<Search />}
        aria-label="Search events"
        placeholder="Search events"
        value={typed}
        onChange={event => setTyped(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
          event.preventDefault()
          void choose(events[0])
        }}
      />
      <p className={`sm t3 ${classes.status}`} role="status">
        {status}
      </p>
      <ul className={classes.events}>
        {events.map(event => (
          <li key={event.eventId}>
            <button type="button" className={classes.event} onClick={() => void choose(event)}>
              <code className="cut">{event.eventName}</code>
              <span className="xs t3 cut">{event.excerpt}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
