import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Settings } from '#shared/model/settings.ts'
import { api } from '../../client/client.ts'
import { useHasSeveralNodes } from '../../entities/node/use-nodes.ts'
import { type Fields, pick } from '../../ui/draft/draft.ts'
import { useDraft } from '../../ui/draft/use-draft.tsx'
import { formatNumber } from '../../ui/format.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { FormRow, NumberRow, PageContent, Section } from '../../ui/section.tsx'
import { saveSettings } from './save-settings.ts'

const mib = { name: 'MiB', size: 1024 * 1024 }
const kib = { name: 'KiB', size: 1024 }

type Limits = Pick<
  Settings,
  'maxBodyBytes' | 'maxConnections' | 'maxBodyMemoryBytes' | 'assistantTextBytes' | 'caFile'
>

const inUnit = (unit: typeof mib) => (bytes: number) => `${formatNumber(bytes / unit.size)} ${unit.name}`
const limits: Required<Fields<Limits>> = {
  maxBodyBytes: { label: 'largest body', show: inUnit(mib) },
  maxConnections: { label: 'open connections', show: formatNumber },
  maxBodyMemoryBytes: { label: 'memory for bodies', show: inUnit(mib) },
  assistantTextBytes: { label: 'responses for the assistant', show: inUnit(kib) },
  caFile: 'certificate authorities',
}

function limitsOf(settings: Settings): Limits {
  const { maxBodyBytes, maxConnections, maxBodyMemoryBytes, assistantTextBytes, caFile } = settings
  return { maxBodyBytes, maxConnections, maxBodyMemoryBytes, assistantTextBytes, caFile }
}

/** The limits of what the service accepts and passes on. */
export function LimitsSection() {
  const query = useQuery(api.settings.get.queryOptions())
  if (query.data !== undefined) return <LimitsForm settings={query.data} />
  return <QueryState query={query} failed="The limits could not be read" />
}

function LimitsForm({ settings }: { readonly settings: Settings }) {
  const caId = useId()
  const isOneOfSeveral = useHasSeveralNodes()
  const { draft, change, problems, saveBar } = useDraft({
    storedAs: 'settings/limits',
    fields: limits,
    saved: settings,
    draftOf: limitsOf,
    read: Settings.parse,
    save: (sent, changed, { updatedAt }) =>
      saveSettings('Limits', 'They apply from the next request.', {
        ...pick(sent, changed),
        ifUpdatedAt: updatedAt,
      }),
    name: 'the limits',
    failed: 'The limits were not saved',
  })
  const numberOf = (name: Exclude<keyof typeof draft, 'caFile'>) => ({
    value: draft[name],
    error: problems[name],
    onChange: (value: number) => change({ [name]: value }),
  })
  return (
    <PageContent saveBar={saveBar}>
      <Section
        title="Limits"
        intro={
          isOneOfSeveral
            ? 'Each limit says what happens beyond it. Each node counts open connections and memory for itself.'
            : 'Each limit says what happens beyond it.'
        }
      >
        <NumberRow
          label="Largest body"
          help="Larger bodies get status 413. 0.001 to 100 MiB."
          unit={mib}
          {...numberOf('maxBodyBytes')}
        />
        <NumberRow
          label="Open connections"
          help="Maximum number of open TCP connections. Beyond it, the listener first closes the oldest connections that have not sent an accepted event. 16 to 65,536."
          {...numberOf('maxConnections')}
        />
        <NumberRow
          label="Memory for bodies"
          help="For all events being received or stored. When it runs out, the request whose body has been arriving longest gets 503. 1 to 4,096 MiB."
          unit={mib}
          step={16}
          {...numberOf('maxBodyMemoryBytes')}
        />
        <NumberRow
          label="Responses for the assistant"
          help="Longer responses are shortened to this length, and Test shows where. 1 to 1,024 KiB."
          unit={kib}
          {...numberOf('assistantTextBytes')}
        />
      </Section>
      <Section title="Trust" intro="For systems whose certificate is issued by your own authority.">
        <FormRow
          label="Certificate authorities"
          field={caId}
          help={`A PEM file on the ${isOneOfSeveral ? 'computer of each node, at the same path' : 'service’s computer'}. Outbound calls trust it in addition to the usual authorities.`}
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
  )
}
