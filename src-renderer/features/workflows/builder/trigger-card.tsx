import { Zap } from 'lucide-react'
import { Fragment } from 'react'
import { serviceConnectionId, serviceConnectionName, serviceEventNames } from '#shared/model/alert.ts'
import { maxEventNames } from '#shared/model/workflow.ts'
import { namesOf } from '#shared/workflows/takes.ts'
import { useConnectionChoice } from '../../../entities/connection/use-connections.ts'
import { conditionText } from '../../../entities/workflow/condition-labels.ts'
import { FieldProblems } from '../../../entities/workflow/steps/field-parts.tsx'
import stepClasses from '../../../entities/workflow/steps/steps.module.css'
import { TemplateText } from '../../../entities/workflow/steps/template-text.tsx'
import { Unknown } from '../../../ui/badges.tsx'
import { formatNumber } from '../../../ui/format.ts'
import { SearchSelect } from '../../../ui/search-select.tsx'
import { TagsField } from '../../../ui/tags-field.tsx'
import classes from './builder.module.css'
import { triggerPath, useBuilder } from './builder-context.ts'
import { CardHead } from './card-parts.tsx'
import { withNames } from './draft.ts'
import { OnceFields } from './once-fields.tsx'
import type { TriggerEvents } from './use-events.ts'
import { WhenFields } from './when-fields.tsx'

/** The events that start the workflow. */
export function TriggerCard() {
  const { draft, edit, selected, nameOf, triggerEvents } = useBuilder()
  const { trigger } = draft
  const { connectionId, once, when } = trigger
  const eventNames = namesOf(trigger)
  const isOpen = selected?.[0] === 'trigger'
  const { rows, onTyped } = useConnectionChoice(connectionId)
  const { names } = triggerEvents
  const counts = new Map(names.map(({ eventName: name, count }) => [name, count]))
  const prefixes = new Set(names.flatMap(({ eventName: name }) => /^[^.]+\./.exec(name)?.[0] ?? []))
  const ofNames = [...names.map(({ eventName: name }) => name), ...[...prefixes].map(prefix => `${prefix}*`)]
  const data = connectionId === serviceConnectionId ? ['service.*', ...serviceEventNames] : ofNames
  return (
    <article className={classes.card} data-selected={isOpen || undefined} data-accent>
      <div className={classes.headRow}>
        <CardHead
          path={triggerPath}
          step={null}
          icon={<Zap size={16} />}
          title={
            <>
              When <b>{connectionId === null ? 'any connection' : nameOf(connectionId)}</b> sends{' '}
              {eventNames === null
                ? 'any event'
                : eventNames.map((name, index) => (
                    <Fragment key={name}>
                      {index > 0 && ' or '}
                      <code>{name}</code>
                    </Fragment>
                  ))}
            </>
          }
          summary={
            <>
              Custom Connection Event · <Counted counts={triggerEvents.counts} />
              {when !== undefined && (
                <>
                  {' '}
                  · only when <TemplateText text={conditionText(when)} />
                </>
              )}
              {once !== undefined && (
                <> · once per {once.key === '' ? 'key' : <TemplateText text={once.key} />}</>
              )}
            </>
          }
        />
      </div>
      {isOpen && (
        <div className={classes.fields} data-fields>
          <div className={stepClasses.pair}>
            <SearchSelect
              data-field="trigger.connectionId"
              label="Connection"
              size="sm"
              value={connectionId ?? ''}
              onTyped={onTyped}
              data={[
                { value: '', label: 'Any connection' },
                { value: serviceConnectionId, label: serviceConnectionName },
                ...rows.map(({ connectionId: id, name }) => ({ value: id, label: name })),
              ]}
              onChange={id =>
                id !== null && edit({ trigger: { ...trigger, connectionId: id === '' ? null : id } })
              }
            />
            <TagsField
              data-field="trigger.eventName"
              label="Events"
              size="sm"
              classNames={{ input: 'mono' }}
              placeholder={eventNames === null ? 'any event' : 'Add'}
              value={[...(eventNames ?? [])]}
              data={data}
              splitChars={[]}
              maxTags={maxEventNames}
              renderOption={({ option }) => (
                <span className={stepClasses.option}>
                  <code className="cut">{option.value}</code>
                  <span className="t3 sm num">
                    {option.value.endsWith('*')
                      ? 'all of them'
                      : `${formatNumber(counts.get(option.value) ?? 0)} in 24 h`}
                  </span>
                </span>
              )}
              onChange={names => edit({ trigger: withNames(trigger, names) })}
            />
          </div>
          <p className="sm t3">
            <code>order.*</code> takes every name that begins with <code>order.</code>
          </p>
          {['connectionId', 'eventName', 'eventNames'].map(field => (
            <FieldProblems key={field} path={[...triggerPath, field]} />
          ))}
          <WhenFields />
          <OnceFields />
        </div>
      )}
    </article>
  )
}

/** “38 of the last 417 in 24 hours”. */
function Counted({ counts }: { readonly counts: TriggerEvents['counts'] }) {
  if (counts === null)
    return (
      <>
        <Unknown /> in the last 24 hours
      </>
    )
  const { received, taken } = counts
  return (
    <span className="num">
      {taken === received
        ? `${formatNumber(taken)} in the last 24 hours`
        : `${formatNumber(taken)} of the last ${formatNumber(received)} in 24 hours`}
    </span>
  )
}
