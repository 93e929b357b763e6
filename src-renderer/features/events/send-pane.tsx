import { Button, Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Activity, CircleCheck, CircleMinus, CircleX, Send } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { EventType } from '#shared/model/event-type.ts'
import { client } from '../../client/client.ts'
import { problemOf } from '../../client/problem.ts'
import { formatMs, formatTime } from '../../ui/format.ts'
import { JsonEditor } from '../../ui/json-editor.tsx'
import { Keys } from '../../ui/keys.tsx'
import { Note } from '../../ui/note.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { StatusCode } from '../../ui/status-code.tsx'
import { toastProblem } from '../../ui/toasts.tsx'
import { useCurrentConnection } from '../connections/current-connection.tsx'
import { useUpdateConnection } from '../connections/use-update-connection.ts'
import { sampleTextOf } from './event-draft.ts'
import classes from './events.module.css'
import { type SendOutcome, sendSteps } from './send-steps.ts'

const payloads = [
  { value: 'sample', label: 'Sample payload' },
  { value: 'last', label: 'Last received' },
  { value: 'edited', label: 'As edited below' },
] as const
type Payload = (typeof payloads)[number]['value']

/** Signs an event and posts it to the connection's own URL, as the external system would. */
export function SendPane(props: {
  readonly type: EventType | null
  readonly takesFocus: boolean
  readonly lastReceived: (eventName: string) => Promise<string | null>
  /** Where the list is not in sight: the way to it. */
  readonly back: ReactNode
}) {
  const { type, takesFocus, lastReceived, back } = props
  const { connectionId, enabled, persistEvents } = useCurrentConnection()
  const update = useUpdateConnection()
  const navigate = useNavigate()
  const sample = type === null ? '' : sampleTextOf(type) || '{}'
  const [payload, setPayload] = useState<Payload>(type === null ? 'edited' : 'sample')
  const [typed, setTyped] = useState('{}')
  const [typedName, setTypedName] = useState('')
  const button = useRef<HTMLButtonElement>(null)
  const eventName = type?.eventName ?? typedName
  const text = payload === 'sample' ? sample : typed

  const send = useMutation({
    mutationFn: async (): Promise<SendOutcome & { readonly isLogged: boolean }> => {
      const result = await client.events.send({ connectionId, event: eventName, dataText: text })
      return { ...result, at: Date.now(), isLogged: persistEvents }
    },
    onError: error => {
      if (problemOf(error).issues.length === 0)
        toastProblem('The test event was not sent', error, [{ label: 'Try again', run: () => send.mutate() }])
    },
  })
  const canSend = eventName !== '' && !send.isPending
  useShortcut({ keys: 'mod+enter', label: 'Send the test event', group: 'Events' }, () => send.mutate(), {
    enabled: canSend,
  })
  useEffect(() => {
    if (takesFocus) button.current?.focus()
  }, [takesFocus])

  async function choose(next: Payload) {
    if (next === 'edited') setTyped(text)
    if (next === 'last') {
      try {
        const last = await lastReceived(eventName)
        if (last === null) {
          toastProblem(
            'There is no last event',
            new Error('None of this name is kept. Edit the sample instead.'),
          )
          return
        }
        setTyped(last)
      } catch (error) {
        toastProblem('The last event could not be read', error)
        return
      }
    }
    setPayload(next)
  }

  const [issue] = send.error === null ? [] : problemOf(send.error).issues
  return (
    <section className={`${classes.pane} ${classes.send}`} aria-label="Send a test event">
      <div className={classes.bar}>
        {back}
        <h2 className="h3">Send a test event</h2>
      </div>
      <div className={classes.scroll}>
        <div className={classes.part}>
          <p className="sm t2">
            Signs the payload and posts it to this connection’s own URL, as your system would.
          </p>
          {type === null && (
            <TextInput
              label="Event name"
              size="sm"
              placeholder="order.paid"
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
              value={typedName}
              onChange={event => setTypedName(event.currentTarget.value)}
            />
          )}
          {type !== null && (
            <Select
              label="Payload"
              size="sm"
              allowDeselect={false}
              data={payloads.map(choice => ({ ...choice }))}
              value={payload}
              onChange={value =>
                void choose(payloads.find(choice => choice.value === value)?.value ?? 'sample')
              }
            />
          )}
          <JsonEditor
            label="Payload to send"
            value={text}
            onChange={next => {
              setTyped(next)
              if (payload === 'sample' || payload === 'last') setPayload('edited')
              send.reset()
            }}
            minLines={4}
            maxLines={8}
            foot={false}
          />
          {issue !== undefined && <Note tone="bad">{issue.message}</Note>}
          {!enabled && (
            <Note tone="warn">
              The connection is disabled: it answers 403.{' '}
              <button
                type="button"
                className="link"
                onClick={() => update.mutate({ connectionId, enabled: true })}
              >
                Enable it
              </button>
            </Note>
          )}
          <Button
            ref={button}
            variant="filled"
            size="md"
            leftSection={<Send size={14} aria-hidden="true" />}
            rightSection={<Keys keys="mod+enter" />}
            loading={send.isPending}
            disabled={eventName === ''}
            onClick={() => send.mutate()}
          >
            Send test event
          </Button>
        </div>
        {send.data !== undefined && (
          <div className={classes.part} aria-live="polite">
            <div className="row">
              <StatusCode status={send.data.status} />
              <span className="w5 num">{formatMs(send.data.totalMs)}</span>
              <span className="push t3 sm num">{formatTime(send.data.at)}</span>
            </div>
            <pre className={classes.answer}>
              {JSON.stringify(send.data.body, null, 1).replace(/\n\s*/g, ' ')}
            </pre>
            <ul className={classes.steps}>
              {sendSteps(send.data, send.data.isLogged).map(({ state, text: words }) => {
                const Icon = { done: CircleCheck, failed: CircleX, skipped: CircleMinus }[state]
                const tone = { done: 'ok', failed: 'bad', skipped: 't3' }[state]
                return (
                  <li key={words}>
                    <Icon size={16} className={tone} aria-hidden="true" />
                    <span>{words}</span>
                  </li>
                )
              })}
            </ul>
            <div>
              <Button
                leftSection={<Activity size={14} aria-hidden="true" />}
                onClick={() =>
                  void navigate({
                    to: '/connections/$connectionId/activity',
                    params: { connectionId },
                    search: send.data.status === 200 ? { eventName } : { show: 'rejected' },
                  })
                }
              >
                Show in activity
              </Button>
            </div>
          </div>
        )}
      </div>
    </section>
  )
}
