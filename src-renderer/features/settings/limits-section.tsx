import { NumberInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import type { Settings } from '#shared/model/settings.ts'
import { api } from '../../client/client.ts'
import { formatCount } from '../../ui/format.ts'
import { SaveBar } from '../../ui/save-bar.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useUnsavedGuard } from '../../ui/use-unsaved-guard.tsx'
import { FormRow, PageContent, Section, useSaveSettings } from './section.tsx'

const mib = 1024 * 1024
const kib = 1024

/** The bounds of what the service takes and gives. */
export function LimitsSection() {
  const { data } = useQuery(api.settings.get.queryOptions())
  return data === undefined ? null : <LimitsForm settings={data} />
}

function LimitsForm({ settings }: { readonly settings: Settings }) {
  const [bodyId, connectionsId, memoryId, textId, caId] = [useId(), useId(), useId(), useId(), useId()]
  const { maxBodyBytes, maxConnections, maxBodyMemoryBytes, assistantTextBytes, caFile } = settings
  const { draft, changed, isDirty, set, discard, settle } = useDraft({
    maxBodyBytes,
    maxConnections,
    maxBodyMemoryBytes,
    assistantTextBytes,
    caFile,
  })
  const { save, problems } = useSaveSettings({
    what: 'Limits',
    note: 'They hold from the next request on.',
    onSaved: settle,
  })
  useUnsavedGuard({
    isDirty,
    what: 'the limits',
    save: () => save.mutateAsync(draft).then(() => true),
  })
  const change = (next: Partial<typeof draft>) => {
    set(next)
    save.reset()
  }
  return (
    <>
      <PageContent>
        <Section title="Limits" intro="What is larger or more than this is refused, and the sender is told.">
          <FormRow
            label="Largest body"
            field={bodyId}
            help="Anything larger is answered 413. 0.001 to 100 MiB."
          >
            <NumberInput
              id={bodyId}
              w={140}
              suffix=" MiB"
              decimalScale={3}
              step={1}
              value={draft.maxBodyBytes / mib}
              error={problems.maxBodyBytes}
              onChange={value =>
                typeof value === 'number' && change({ maxBodyBytes: Math.round(value * mib) })
              }
            />
          </FormRow>
          <FormRow
            label="Open connections"
            field={connectionsId}
            help="Held by the listener at once. When there are more, those that wait longest give way. 16 to 65,536."
          >
            <NumberInput
              id={connectionsId}
              w={140}
              allowDecimal={false}
              value={draft.maxConnections}
              error={problems.maxConnections}
              onChange={value => typeof value === 'number' && change({ maxConnections: value })}
            />
          </FormRow>
          <FormRow
            label="Memory for bodies"
            field={memoryId}
            help="Held for all events being received or stored. When it is used up, the body that has been arriving longest is answered 503. 1 to 4,096 MiB."
          >
            <NumberInput
              id={memoryId}
              w={140}
              suffix=" MiB"
              decimalScale={3}
              step={16}
              value={draft.maxBodyMemoryBytes / mib}
              error={problems.maxBodyMemoryBytes}
              onChange={value =>
                typeof value === 'number' && change({ maxBodyMemoryBytes: Math.round(value * mib) })
              }
            />
          </FormRow>
          <FormRow
            label="Answers for the assistant"
            field={textId}
            help="Test shows a longer answer of an action cut to this length, as the assistant will get it. 1 to 1,024 KiB."
          >
            <NumberInput
              id={textId}
              w={140}
              suffix=" KiB"
              decimalScale={3}
              value={draft.assistantTextBytes / kib}
              error={problems.assistantTextBytes}
              onChange={value =>
                typeof value === 'number' && change({ assistantTextBytes: Math.round(value * kib) })
              }
            />
          </FormRow>
        </Section>
        <Section title="Trust" intro="For systems whose certificate comes from an authority of your own.">
          <FormRow
            label="Certificate authorities"
            field={caId}
            help="A PEM file on the service’s computer. Outbound calls trust it beside the usual authorities."
          >
            <TextInput
              id={caId}
              maw={420}
              placeholder="None"
              value={draft.caFile ?? ''}
              error={problems.caFile}
              onChange={event => change({ caFile: event.currentTarget.value || null })}
            />
          </FormRow>
        </Section>
      </PageContent>
      {isDirty && (
        <SaveBar
          what={`Unsaved: ${formatCount(changed.length, 'limit')}`}
          saving={save.isPending}
          onSave={() => save.mutate(draft)}
          onDiscard={() => {
            discard()
            save.reset()
          }}
        />
      )}
    </>
  )
}
