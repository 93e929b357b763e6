import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Activity, CircleCheck, CircleMinus, CircleX, Send } from 'lucide-react'
import type { ReactNode, Ref } from 'react'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { useUpdateConnection } from '../../entities/connection/use-update-connection.ts'
import { StatusCode } from '../../ui/badges.tsx'
import { CodedText } from '../../ui/coded-text.tsx'
import { formatMs, formatTime } from '../../ui/format.ts'
import { JsonEditor } from '../../ui/json-editor.tsx'
import { Note } from '../../ui/note.tsx'
import { WriteButton, WriteLink } from '../../ui/write-button.tsx'
import { sendSteps } from './event-draft.ts'
import classes from './events.module.css'
import { platformEventOf } from './platform-events.ts'
import type { SentEvent, useSendEvent } from './use-send-event.ts'

const icons = { done: CircleCheck, failed: CircleX, skipped: CircleMinus } as const
const tones = { done: 'ok', failed: 'bad', skipped: 't3' } as const

/** Shows the response to a test event and what happened to the event, with a link to the activity. */
export function SendAnswer({ sent, onLeave }: { readonly sent: SentEvent; readonly onLeave?: () => void }) {
  const { connectionId } = useCurrentConnection()
  const navigate = useNavigate()
  return (
    <div className={classes.part} aria-live="polite">
      <div className="row">
        <StatusCode status={sent.status} />
        <span className="w5 num">{formatMs(sent.totalMs)}</span>
        <span className="push t3 sm num">{formatTime(sent.at)}</span>
      </div>
      <pre className={classes.answer}>{JSON.stringify(sent.body, null, 1).replace(/\n\s*/g, ' ')}</pre>
      <ul className={classes.steps}>
        {sendSteps(sent, sent.isLogged).map(({ state, text: words }) => {
          const Icon = icons[state]
          return (
            <li key={words}>
              <Icon size={16} className={tones[state]} />
              <span>{words}</span>
            </li>
          )
        })}
      </ul>
      <div>
        <Button
          leftSection={<Activity />}
          onClick={() => {
            onLeave?.()
            void navigate({
              to: '/connections/$connectionId/activity',
              params: { connectionId },
              search: sent.status === 200 ? { eventName: sent.eventName } : { show: 'rejected' },
            })
          }}
        >
          Show in activity
        </Button>
      </div>
    </div>
  )
}

/** The payload of a test event, its problems, and the button that sends it. */
export function SendForm(props: {
  readonly eventName: string
  readonly sending: ReturnType<typeof useSendEvent>
  readonly text: string
  readonly onType: (text: string) => void
  /** Whether the text is the whole body, and not only the data. */
  readonly isBody: boolean
  readonly minLines: number
  readonly label: string
  readonly hint?: ReactNode
  readonly button?: Ref<HTMLButtonElement>
}) {
  const { sending, text, onType, isBody, hint } = props
  return (
    <>
      <JsonEditor
        label={isBody ? 'Body to send' : 'Payload to send'}
        value={text}
        onChange={next => {
          onType(next)
          sending.reset()
        }}
        minLines={props.minLines}
        maxLines={8}
        foot={false}
      />
      {sending.problem !== undefined && <Note tone="bad">{sending.problem}</Note>}
      <DisabledNote />
      {isBody && <PlatformRemark eventName={props.eventName} />}
      {hint}
      <WriteButton
        ref={props.button}
        data-autofocus
        variant="filled"
        size="md"
        icon={Send}
        keys="mod+enter"
        loading={sending.isSending}
        disabled={props.eventName === ''}
        onClick={sending.send}
      >
        {props.label}
      </WriteButton>
    </>
  )
}

/** Says what to know about a webhook event of the platform. */
export function PlatformRemark({ eventName }: { readonly eventName: string }) {
  const remark = platformEventOf(eventName)?.remark ?? null
  return (
    remark !== null && (
      <Note>
        <CodedText text={remark} />
      </Note>
    )
  )
}

/** Says that the connection is disabled and refuses the event, and can enable it. */
function DisabledNote() {
  const { connectionId, enabled } = useCurrentConnection()
  const update = useUpdateConnection()
  if (enabled) return null
  return (
    <Note tone="warn">
      The connection is disabled: it answers 403.{' '}
      <WriteLink onClick={() => update.mutate({ connectionId, enabled: true })}>Enable it</WriteLink>
    </Note>
  )
}
