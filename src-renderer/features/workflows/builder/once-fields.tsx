import { NumberInput, SegmentedControl } from '@mantine/core'
import { maxOnceHours, type Once } from '#shared/model/workflow.ts'
import { deduplicationKeyOf } from '#shared/workflows/deduplication-key.ts'
import type { Scope } from '#shared/workflows/scope.ts'
import { variablesIn } from '#shared/workflows/templates.ts'
import { FieldProblems, FieldRow, TemplateRow } from '../../../entities/workflow/steps/field-parts.tsx'
import type { Preview } from '../../../entities/workflow/steps/preview.ts'
import { durationText } from '../../../entities/workflow/steps/wait.tsx'
import { optionsOf } from '../../../ui/options-of.ts'
import { triggerPath, useBuilder } from './builder-context.ts'

const hoursPath = [...triggerPath, 'once', 'hours']

/** Whether each event starts a run, or one of those with the same key. */
export function OnceFields() {
  const { draft, edit, idHeaders } = useBuilder()
  const { once, ...rest } = draft.trigger
  const setOnce = (next: Once | undefined, tag?: string) =>
    edit({ trigger: next === undefined ? rest : { ...rest, once: next } }, tag)
  const [idHeader] = idHeaders
  const blank = { key: idHeader === undefined ? '' : `{{headers.${idHeader}}}`, hours: 24 }
  return (
    <>
      <FieldRow label="Start">
        <SegmentedControl
          size="xs"
          aria-label="Start"
          value={once === undefined ? 'always' : 'once'}
          data={optionsOf({ always: 'For every event', once: 'Once per key' })}
          onChange={kind => setOnce(kind === 'once' ? blank : undefined)}
        />
      </FieldRow>
      {once !== undefined && (
        <>
          <TemplateRow
            label="Key"
            path={[...triggerPath, 'once', 'key']}
            step={triggerPath}
            value={once.key}
            placeholder="{{order_id}}"
            previewWith={scope => previewOfKey(once.key, scope)}
            onChange={(key, field) => setOnce({ ...once, key }, field)}
          />
          <FieldRow label="For" path={hoursPath}>
            <span className="row">
              <NumberInput
                size="sm"
                w={104}
                aria-label="Hours"
                min={1}
                max={maxOnceHours}
                allowDecimal={false}
                suffix=" h"
                value={once.hours}
                onChange={typed =>
                  typeof typed === 'number' && setOnce({ ...once, hours: typed }, hoursPath.join('.'))
                }
              />
              {once.hours >= 24 && <span className="sm t3">{durationText(once.hours * 3600)}</span>}
            </span>
          </FieldRow>
          <FieldProblems path={hoursPath} />
          <p className="sm t3">
            A later event with the same key starts nothing. An event without a value for the key always starts
            a run.
          </p>
        </>
      )}
    </>
  )
}

/** Returns the key of the chosen event, whose headers are not known. */
function previewOfKey(key: string, scope: Scope | null): Preview | null {
  if (scope === null || variablesIn(key).some(({ path }) => /^headers\b/.test(path))) return null
  const text = deduplicationKeyOf(key, scope)
  return text === null
    ? { kind: 'failed', why: 'no value in this event' }
    : { kind: 'value', value: text, absent: [] }
}
