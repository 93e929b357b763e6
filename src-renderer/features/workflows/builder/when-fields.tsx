import { Button } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { ConditionFields, newComparison } from '../../../entities/workflow/steps/condition-fields.tsx'
import { FieldRow } from '../../../entities/workflow/steps/field-parts.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { triggerPath, useBuilder } from './builder-context.ts'

const whenPath = [...triggerPath, 'when']

/** The condition that an event has to fit. */
export function WhenFields() {
  const { draft, edit } = useBuilder()
  const { when, ...rest } = draft.trigger
  if (when === undefined)
    return (
      <FieldRow label="Only when">
        <Button
          size="xs"
          variant="subtle"
          style={{ justifySelf: 'start' }}
          leftSection={<Plus />}
          onClick={() => edit({ trigger: { ...rest, when: newComparison() } })}
        >
          Add a condition
        </Button>
      </FieldRow>
    )
  return (
    <>
      <FieldRow label="Only when" path={whenPath}>
        <span className="row" style={{ alignItems: 'start' }}>
          <ConditionFields
            condition={when}
            path={whenPath}
            step={triggerPath}
            onChange={(next, field) => edit({ trigger: { ...rest, when: next } }, field)}
          />
          <IconButton
            icon={X}
            size="xs"
            label="Start for every event"
            onClick={() => edit({ trigger: rest })}
          />
        </span>
      </FieldRow>
      <p className="sm t3">An event that does not fit starts nothing and stores no run.</p>
    </>
  )
}
