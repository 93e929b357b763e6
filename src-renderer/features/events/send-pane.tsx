import { Autocomplete } from '@mantine/core'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { useStoredFields } from '../../ui/draft/use-stored-fields.tsx'
import { focusIfWanted } from '../../ui/focus.ts'
import { Note } from '../../ui/note.tsx'
import { optionsOf } from '../../ui/options-of.ts'
import pane from '../../ui/pane.module.css'
import { SearchSelect } from '../../ui/search-select.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import classes from './events.module.css'
import { bodyTextOf, platformEventOf, platformEvents } from './platform-events.ts'
import { SendAnswer, SendForm } from './send-answer.tsx'
import { type useLastReceived, useSendEvent } from './use-send-event.ts'

const payloads = optionsOf({ sample: 'Sample payload', last: 'Last received', edited: 'As edited below' })
const platformPayload = { value: 'platform', label: 'As the platform sends it' } as const
type Payload = (typeof payloads)[number]['value'] | 'platform'

type Typed = {
  /** Null until one is chosen. */
  readonly chosen: Payload | null
  readonly typed: { readonly text: string; readonly isBody: boolean }
  readonly typedName: string
}
const nothing: Typed = { chosen: null, typed: { text: '{}', isBody: false }, typedName: 'test.ping' }
const typedFields = { chosen: 'payload', typed: 'payload', typedName: 'event name' }

/** Signs an event and posts it to the connection's own URL, as the external system would. */
export function SendPane(props: {
  /** The draft in the editor. Null if no event type is open. */
  readonly event: { readonly eventName: string; readonly sampleText: string } | null
  readonly lastReceived: ReturnType<typeof useLastReceived>
}) {
  const { event, lastReceived } = props
  const sample = event?.sampleText || '{}'
  const { connectionId } = useCurrentConnection()
  const { values, change, note } = useStoredFields<Typed>(`send-pane/${connectionId}`, typedFields, nothing)
  const { chosen, typed, typedName } = values
  const eventName = event?.eventName ?? typedName
  const platform = platformEventOf(eventName)
  const isOffered = chosen !== null && (chosen !== 'platform' || platform !== undefined)
  const payload = isOffered ? chosen : platform === undefined ? 'sample' : 'platform'
  const { text, isBody } =
    payload === 'sample'
      ? { text: sample, isBody: false }
      : payload === 'platform' && platform !== undefined
        ? { text: bodyTextOf(platform), isBody: true }
        : typed
  const sending = useSendEvent(eventName, text, isBody)
  const { sent, canSend, send } = sending
  useShortcut({ keys: 'mod+enter', label: 'Send the test event', group: 'Event types' }, send, canSend)

  async function choose(next: Payload) {
    const last = next === 'last' ? await lastReceived(eventName) : text
    if (last === null) return
    if (next === 'last') change({ typed: { text: last, isBody: false } })
    if (next === 'edited') change({ typed: { text, isBody } })
    change({ chosen: next })
  }

  return (
    <section className={`${pane.pane} ${classes.send}`} aria-label="Send a test event">
      <div className={pane.bar}>
        <h2 className="h3">Send a test event</h2>
      </div>
      <div className="scroll">
        <div className={classes.part}>
          <p className="sm t2">
            Signs the payload and posts it to this connection’s own URL, as your system would.
          </p>
          {note}
          {event === null && (
            <Autocomplete
              label="Event name"
              size="sm"
              classNames={{ input: 'mono' }}
              data={platformEvents.map(({ eventName: name }) => name)}
              value={typedName}
              onChange={name => {
                // A body is not the data of another event, nor the other way round.
                const isOther = isBody || platformEventOf(name) !== undefined
                change({ typedName: name, ...(isOther && { chosen: null }) })
              }}
            />
          )}
          {event !== null && (
            <SearchSelect
              label="Payload"
              size="sm"
              data={platform === undefined ? payloads : [platformPayload, ...payloads]}
              value={payload}
              onChange={value => value !== null && void choose(value)}
            />
          )}
          <SendForm
            sending={sending}
            eventName={eventName}
            text={text}
            isBody={isBody}
            onType={next => {
              change({ typed: { text: next, isBody }, chosen: 'edited' })
            }}
            minLines={4}
            label="Send test event"
            button={focusIfWanted}
            hint={event?.eventName === '' && <Note>Give the event type a name to send it.</Note>}
          />
        </div>
        {sent !== undefined && <SendAnswer sent={sent} />}
      </div>
    </section>
  )
}
