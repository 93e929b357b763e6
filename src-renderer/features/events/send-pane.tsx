import { Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Note } from '../../ui/note.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import classes from './events.module.css'
import { SendAnswer, SendForm } from './send-answer.tsx'
import { type useLastReceived, useSendEvent } from './use-send-event.ts'

const payloads = [
  { value: 'sample', label: 'Sample payload' },
  { value: 'last', label: 'Last received' },
  { value: 'edited', label: 'As edited below' },
] as const
type Payload = (typeof payloads)[number]['value']

/** Signs an event and posts it to the connection's own URL, as the external system would. */
export function SendPane(props: {
  /** The draft in the editor. Null if no event type is open. */
  readonly event: { readonly eventName: string; readonly sampleText: string } | null
  readonly lastReceived: ReturnType<typeof useLastReceived>
}) {
  const { event, lastReceived } = props
  const sample = event?.sampleText || '{}'
  const [payload, setPayload] = useState<Payload>('sample')
  const [typed, setTyped] = useState('{}')
  const [typedName, setTypedName] = useState('test.ping')
  const eventName = event?.eventName ?? typedName
  const text = payload === 'sample' ? sample : typed
  const sending = useSendEvent(eventName, text)
  const { sent, canSend, send } = sending
  useShortcut({ keys: 'mod+enter', label: 'Send the test event', group: 'Events' }, send, {
    enabled: canSend,
  })

  async function choose(next: Payload) {
    const last = next === 'last' ? await lastReceived(eventName) : text
    if (last === null) return
    if (next !== 'sample') setTyped(last)
    setPayload(next)
  }

  return (
    <section className={`${classes.pane} ${classes.send}`} aria-label="Send a test event">
      <div className={classes.bar}>
        <h2 className="h3">Send a test event</h2>
      </div>
      <div className="scroll">
        <div className={classes.part}>
          <p className="sm t2">
            Signs the payload and posts it to this connection’s own URL, as your system would.
          </p>
          {event === null && (
            <TextInput
              label="Event name"
              size="sm"
              classNames={{ input: 'mono' }}
              value={typedName}
              onChange={({ currentTarget }) => setTypedName(currentTarget.value)}
            />
          )}
          {event !== null && (
            <Select
              label="Payload"
              size="sm"
              allowDeselect={false}
              data={payloads}
              value={payload}
              onChange={value => value !== null && void choose(value)}
            />
          )}
          <SendForm
            sending={sending}
            text={text}
            onType={next => {
              setTyped(next)
              setPayload('edited')
            }}
            minLines={4}
            label="Send test event"
            isDisabled={eventName === ''}
            hint={event?.eventName === '' && <Note>Give the event type a name to send it.</Note>}
          />
        </div>
        {sent !== undefined && <SendAnswer sent={sent} />}
      </div>
    </section>
  )
}
