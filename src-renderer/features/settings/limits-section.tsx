import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import type { Settings } from '#shared/model/settings.ts'
import { api } from '../../client/client.ts'
import { formatCount } from '../../ui/format.ts'
import { FormRow, NumberRow, PageContent, Section, useSettingsForm } from './section.tsx'

const mib = { name: 'MiB', size: 1024 * 1024 }
const kib = { name: 'KiB', size: 1024 }

/** The bounds of what the service takes and gives. */
export function LimitsSection() {
  const { data } = useQuery(api.settings.get.queryOptions())
  return data === undefined ? null : <LimitsForm settings={data} />
}

function LimitsForm({ settings }: { readonly settings: Settings }) {
  const caId = useId()
  const { maxBodyBytes, maxConnections, maxBodyMemoryBytes, assistantTextBytes, caFile } = settings
  const { draft, change, problems, saveBar } = useSettingsForm({
    saved: { maxBodyBytes, maxConnections, maxBodyMemoryBytes, assistantTextBytes, caFile },
    toChange: draft => draft,
    what: 'Limits',
    note: 'They hold from the next request on.',
    summary: (_draft, changed) => formatCount(changed.length, 'limit'),
  })
  return (
    <>
      <PageContent>
        <Section title="Limits" intro="What is larger or more than this is refused, and the sender is told.">
          <NumberRow
            label="Largest body"
            help="Anything larger is answered 413. 0.001 to 100 MiB."
            unit={mib}
            value={draft.maxBodyBytes}
            error={problems.maxBodyBytes}
            onChange={maxBodyBytes => change({ maxBodyBytes })}
          />
          <NumberRow
            label="Open connections"
            help="Held by the listener at once. When there are more, those that wait longest give way. 16 to 65,536."
            value={draft.maxConnections}
            error={problems.maxConnections}
            onChange={maxConnections => change({ maxConnections })}
          />
          <NumberRow
            label="Memory for bodies"
            help="Held for all events being received or stored. When it is used up, the body that has been arriving longest is answered 503. 1 to 4,096 MiB."
            unit={mib}
            step={16}
            value={draft.maxBodyMemoryBytes}
            error={problems.maxBodyMemoryBytes}
            onChange={maxBodyMemoryBytes => change({ maxBodyMemoryBytes })}
          />
          <NumberRow
            label="Answers for the assistant"
            help="Test shows a longer answer of an action cut to this length, as the assistant will get it. 1 to 1,024 KiB."
            unit={kib}
            value={draft.assistantTextBytes}
            error={problems.assistantTextBytes}
            onChange={assistantTextBytes => change({ assistantTextBytes })}
          />
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
      {saveBar}
    </>
  )
}
