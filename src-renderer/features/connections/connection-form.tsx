import { NumberInput, TextInput } from '@mantine/core'
import { Copy, TriangleAlert } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { useUpdateConnection } from '../../entities/connection/use-update-connection.ts'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { Disclosure } from '../../ui/disclosure.tsx'
import { formatCount } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { WriteSwitch } from '../../ui/write-button.tsx'
import { type ConnectionDraft, numberInputs } from './connection-draft.ts'
import classes from './overview-tab.module.css'
import { RateLimitCard } from './sign-in/rate-limit-card.tsx'
import { SignInCard } from './sign-in/sign-in-card.tsx'

/** The settings of a connection. Texts and numbers wait for “Save”, and switches apply at once. */
export function ConnectionForm(props: {
  readonly draft: ConnectionDraft
  readonly problems: Readonly<Partial<Record<string, string>>>
  readonly onEdit: (edit: Partial<ConnectionDraft>) => void
}) {
  const { draft, problems, onEdit } = props
  const { connectionId, persistEvents, ignoreRepeats, retention, warnings = [] } = useCurrentConnection()
  const update = useUpdateConnection()
  const unusual = warnings.find(({ path }) => path === 'baseUrl')?.message
  const name = useRef<HTMLInputElement>(null)
  // What a connection has failed at is above, and would be in the way of the keyboard.
  useShortcut({ keys: 's', label: 'Edit the settings', group: 'Overview' }, () => name.current?.select())
  const copyId = () => void copyWithToast(connectionId, 'Connection ID')
  return (
    <section className={classes.group} aria-labelledby="connection-form">
      <h2 className="h3" id="connection-form">
        Connection
      </h2>
      <div className="pair">
        <TextInput
          ref={name}
          label="Name"
          value={draft.name}
          onChange={event => onEdit({ name: event.currentTarget.value })}
          error={problems.name}
        />
        <TextInput
          label="Connection ID"
          readOnly
          classNames={{ input: `${classes.machine} ${classes.fixed}` }}
          value={connectionId}
          rightSection={<IconButton size="xs" icon={Copy} label="Copy connection ID" onClick={copyId} />}
        />
      </div>
      <TextInput
        label="Base URL"
        classNames={{ input: classes.machine ?? '' }}
        spellCheck={false}
        value={draft.baseUrl}
        onChange={event => onEdit({ baseUrl: event.currentTarget.value })}
        error={problems.baseUrl}
        description={
          problems.baseUrl !== undefined ? undefined : unusual === undefined ? (
            'Every action’s path is appended to it. Leave empty if you only receive events.'
          ) : (
            <span className={`warn ${classes.unusual}`}>
              <TriangleAlert />
              {unusual}
            </span>
          )
        }
      />
      <Choice
        label="Log inbound events"
        checked={persistEvents}
        onChange={checked => update.mutate({ connectionId, persistEvents: checked })}
      >
        {persistEvents
          ? `Keeps the newest ${formatCount(retention.maxEvents, 'event')} for ${formatCount(retention.maxDays, 'day')}.`
          : 'Events are not stored. Events stored earlier are kept until they expire.'}
      </Choice>
      <Choice
        label="Ignore exact repeats"
        checked={ignoreRepeats}
        onChange={checked => update.mutate({ connectionId, ignoreRepeats: checked })}
      >
        A repeat within 10 minutes gets 200 and no second trigger.
      </Choice>
      <Disclosure
        label="Timeout and retention"
        isForced={numberInputs.some(({ field }) => problems[field] !== undefined)}
      >
        <div className={classes.triple}>
          {numberInputs.map(({ field, label, help, decimalScale, suffix }) => (
            <NumberInput
              key={field}
              label={label}
              suffix={suffix}
              decimalScale={decimalScale}
              min={1}
              hideControls
              clampBehavior="none"
              value={draft[field]}
              onChange={value => onEdit({ [field]: value })}
              error={problems[field]}
              description={problems[field] === undefined ? help : undefined}
            />
          ))}
        </div>
      </Disclosure>
      <SignInCard />
      <RateLimitCard />
    </section>
  )
}

function Choice(props: {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly children: ReactNode
}) {
  const { label, checked, onChange, children } = props
  return (
    <WriteSwitch
      classNames={{ label: classes.choice ?? '', description: classes.choiceText ?? '' }}
      label={label}
      description={children}
      checked={checked}
      onChange={event => onChange(event.currentTarget.checked)}
    />
  )
}
