import { Button, Checkbox, NumberInput, TextInput } from '@mantine/core'
import { useId } from 'react'
import { FormRow, PageContent, Section } from '../../../ui/section.tsx'
import classes from './builder.module.css'
import { useBuilder } from './builder-context.ts'

/** The name of the workflow, how its runs follow one another, and its deletion. */
export function SettingsTab({ onDelete }: { readonly onDelete: (() => void) | undefined }) {
  const { draft, edit, problems, onBlur } = useBuilder()
  const nameId = useId()
  const concurrencyId = useId()
  const errorOf = (path: string) => problems.find(problem => problem.path === path)?.message
  return (
    <PageContent>
      <section className={classes.settings} aria-label="Settings of the workflow" onBlur={onBlur}>
        <Section title="General">
          <FormRow label="Name" field={nameId}>
            <TextInput
              id={nameId}
              data-field="name"
              value={draft.name}
              error={errorOf('name')}
              onChange={event => edit({ name: event.currentTarget.value }, 'name')}
            />
          </FormRow>
        </Section>
        <Section title="Runs">
          <FormRow label="Order" help="A run that waits for its next attempt holds up the later ones.">
            <Checkbox
              label="One run at a time, in the order of the events"
              checked={draft.ordered}
              onChange={event => edit({ ordered: event.currentTarget.checked })}
            />
          </FormRow>
          <FormRow
            label="Runs at once"
            field={concurrencyId}
            help={draft.ordered ? 'Runs in order are one at a time.' : '1 to 100. The others wait.'}
          >
            <NumberInput
              id={concurrencyId}
              data-field="concurrency"
              w={160}
              min={1}
              max={100}
              allowDecimal={false}
              disabled={draft.ordered}
              value={draft.concurrency}
              error={errorOf('concurrency')}
              onChange={typed => typeof typed === 'number' && edit({ concurrency: typed }, 'concurrency')}
            />
          </FormRow>
        </Section>
        {onDelete !== undefined && (
          <Section
            title="Delete"
            intro="Its queued, waiting and running runs are cancelled. Runs that have ended stay in the history."
          >
            <div>
              <Button color="red" variant="default" c="var(--cc-bad)" onClick={onDelete}>
                Delete workflow
              </Button>
            </div>
          </Section>
        )}
      </section>
    </PageContent>
  )
}
