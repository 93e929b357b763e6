import { Button, Collapse, NumberInput, Switch, TextInput } from '@mantine/core'
import { ChevronRight, Copy, TriangleAlert } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import type { ConnectionDraft, DraftField } from './connection-draft.ts'
import { useCurrentConnection } from './current-connection.tsx'
import classes from './overview-tab.module.css'
import { useUpdateConnection } from './use-update-connection.ts'

const moreFields: readonly DraftField[] = ['timeoutSeconds', 'maxEvents', 'maxDays']

/** What a connection is called and how it behaves. Texts and numbers wait to be saved, switches apply at once. */
export function ConnectionForm(props: {
  readonly draft: ConnectionDraft
  readonly errors: Readonly<Partial<Record<DraftField, string>>>
  readonly onEdit: (edit: Partial<ConnectionDraft>) => void
}) {
  const { draft, errors, onEdit } = props
  const { connectionId, persistEvents, ignoreRepeats, retention, warnings = [] } = useCurrentConnection()
  const update = useUpdateConnection()
  const unusual = warnings.find(({ path }) => path === 'baseUrl')?.message
  const copyId = () => void copyWithToast(connectionId, 'Connection ID')
  return (
    <section className={classes.group} aria-labelledby="connection-form">
      <h2 className="h3" id="connection-form">
        Connection
      </h2>
      <div className={classes.pair}>
        <TextInput
          label="Name"
          value={draft.name}
          onChange={event => onEdit({ name: event.currentTarget.value })}
          error={errors.name}
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
        error={errors.baseUrl}
        description={
          errors.baseUrl !== undefined ? undefined : unusual === undefined ? (
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
          : 'Events are not stored. Those stored before stay until they are old.'}
      </Choice>
      <Choice
        label="Ignore exact repeats"
        checked={ignoreRepeats}
        onChange={checked => update.mutate({ connectionId, ignoreRepeats: checked })}
      >
        A repeat within 10 minutes gets 200 and no second trigger.
      </Choice>
      <More hasErrors={moreFields.some(field => errors[field] !== undefined)}>
        <div className={classes.triple}>
          <NumberInput
            label="Call timeout"
            suffix=" s"
            min={1}
            max={120}
            hideControls
            clampBehavior="none"
            decimalScale={3}
            value={draft.timeoutSeconds}
            onChange={timeoutSeconds => onEdit({ timeoutSeconds })}
            error={errors.timeoutSeconds}
            description={errors.timeoutSeconds ? undefined : '1 to 120 s, for a whole call.'}
          />
          <NumberInput
            label="Events kept"
            min={1}
            max={10_000_000}
            hideControls
            clampBehavior="none"
            allowDecimal={false}
            value={draft.maxEvents}
            onChange={maxEvents => onEdit({ maxEvents })}
            error={errors.maxEvents}
            description={errors.maxEvents ? undefined : `At most ${formatNumber(10_000_000)}.`}
          />
          <NumberInput
            label="Days kept"
            min={1}
            max={3650}
            hideControls
            clampBehavior="none"
            allowDecimal={false}
            value={draft.maxDays}
            onChange={maxDays => onEdit({ maxDays })}
            error={errors.maxDays}
            description={errors.maxDays ? undefined : 'Whichever comes first.'}
          />
        </div>
      </More>
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
    <Switch
      classNames={{ label: classes.choice ?? '', description: classes.choiceText ?? '' }}
      label={label}
      description={children}
      checked={checked}
      onChange={event => onChange(event.currentTarget.checked)}
    />
  )
}

function More({ hasErrors, children }: { readonly hasErrors: boolean; readonly children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const expanded = isOpen || hasErrors
  return (
    <div>
      <Button
        variant="subtle"
        size="xs"
        className={classes.more}
        aria-expanded={expanded}
        aria-controls={id}
        leftSection={<ChevronRight data-open={expanded || undefined} />}
        onClick={() => setIsOpen(!expanded)}
      >
        Timeout and retention
      </Button>
      <Collapse expanded={expanded} id={id} transitionDuration={0}>
        <div className={classes.moreFields}>{children}</div>
      </Collapse>
    </div>
  )
}
