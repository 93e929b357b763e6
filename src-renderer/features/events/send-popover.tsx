import { Autocomplete, Popover } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { useRef } from 'react'
import type { EventType } from '#shared/model/event-type.ts'
import { api } from '../../client/client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { useOverlays } from '../../overlays.tsx'
import { useStoredFields } from '../../ui/draft/use-stored-fields.tsx'
import { KeyButton } from '../../ui/keys.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { sampleTextOf } from './event-draft.ts'
import classes from './events.module.css'
import { bodyTextOf, platformEventOf, platformEvents } from './platform-events.ts'
import { SendAnswer, SendForm } from './send-answer.tsx'
import { useSendEvent } from './use-send-event.ts'

/** The event that is offered if none is declared. */
const ping = { eventName: 'test.ping', dataText: '{ "message": "Test event" }' }

/** The button “Send test event” with its popover, which works on every tab. */
export function SendTestEvent() {
  const { current, open, close: closeOverlay } = useOverlays()
  const target = useRef<HTMLButtonElement>(null)
  const close = () => {
    closeOverlay()
    // A click elsewhere then moves the focus there.
    target.current?.focus()
  }
  const isOpen = current?.kind === 'send-event'
  const show = () => open({ kind: 'send-event' })
  useShortcut({ keys: 't', label: 'Send a test event', group: 'Connection' }, show)
  return (
    <Popover
      opened={isOpen}
      onChange={opened => !opened && close()}
      position="bottom-end"
      width={360}
      shadow="lg"
      trapFocus
    >
      <Popover.Target>
        <KeyButton ref={target} icon={Send} keys="t" onClick={isOpen ? close : show}>
          Send test event
        </KeyButton>
      </Popover.Target>
      <Popover.Dropdown className={classes.popover}>
        <Form onLeave={close} />
      </Popover.Dropdown>
    </Popover>
  )
}

/** Null for what the form suggests. */
type Typed = { readonly name: string | null; readonly text: string | null }
const nothing: Typed = { name: null, text: null }
const typedFields = { name: 'event name', text: 'payload' }

function Form({ onLeave }: { readonly onLeave: () => void }) {
  const { connectionId } = useCurrentConnection()
  const { eventType } = useSearch({ strict: false })
  const { data: types = [] } = useQuery(api.eventTypes.list.queryOptions({ input: { connectionId } }))
  const { values, change, note } = useStoredFields<Typed>(`send/${connectionId}`, typedFields, nothing)
  const { name, text: typed } = values
  const suggested = suggestedType(types, eventType)
  const eventName = name ?? suggested?.eventName ?? ping.eventName
  const named = types.find(type => type.eventName === eventName)
  const platform = platformEventOf(eventName)
  const example =
    platform !== undefined
      ? bodyTextOf(platform)
      : named === undefined
        ? ping.dataText
        : sampleTextOf(named) || '{}'
  const text = typed ?? example
  const isBody = platform !== undefined
  const sending = useSendEvent(eventName, text, isBody)
  const { sent, canSend, send, reset } = sending
  useShortcut({ keys: 'mod+enter', label: 'Send', group: 'Dialog' }, () => canSend && send())
  // Works without focus, because a busy button loses it.
  useShortcut({ keys: 'escape', label: 'Close', group: 'Dialog' }, onLeave)
  return (
    <>
      <div className={classes.part}>
        {note}
        <Autocomplete
          label="Event name"
          size="sm"
          classNames={{ input: 'mono' }}
          data={suggestions(types)}
          value={eventName}
          comboboxProps={{ withinPortal: false }}
          onChange={next => {
            // A body is not the data of another event, nor the other way round.
            const isOther = isBody || platformEventOf(next) !== undefined
            change({ name: next, ...(isOther && { text: null }) })
            reset()
          }}
        />
        <SendForm
          sending={sending}
          eventName={eventName}
          text={text}
          onType={next => change({ text: next })}
          isBody={isBody}
          minLines={3}
          label="Send"
        />
      </div>
      {sent !== undefined && <SendAnswer sent={sent} onLeave={onLeave} />}
    </>
  )
}

/** Returns the declared names, then those of the platform. */
function suggestions(types: readonly EventType[]) {
  const ofPlatform = platformEvents.map(({ eventName }) => eventName)
  const declared = [...new Set(types.map(({ eventName }) => eventName))]
  return [
    { group: 'Declared', items: declared.filter(name => !ofPlatform.includes(name)) },
    { group: 'Webhook events of the platform', items: ofPlatform },
  ].filter(({ items }) => items.length > 0)
}

/** Returns the event type that is open on the tab Event types, or the first with a sample, or the first. */
function suggestedType(types: readonly EventType[], openId: string | undefined): EventType | undefined {
  return (
    types.find(type => type.eventTypeId === openId) ??
    types.find(type => sampleTextOf(type) !== '') ??
    types[0]
  )
}
