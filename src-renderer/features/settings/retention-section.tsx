import { NumberInput, Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import type { Settings } from '#shared/model/settings.ts'
import { api } from '../../client/client.ts'
import { Unknown } from '../../ui/badges.tsx'
import { formatNumber } from '../../ui/format.ts'
import { SaveBar } from '../../ui/save-bar.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useUnsavedGuard } from '../../ui/use-unsaved-guard.tsx'
import { useConnections } from '../connections/use-connections.ts'
import { FormRow, PageContent, Section, useSaveSettings } from './section.tsx'

/** How much of the stored events new connections keep, and which connections store any. */
export function RetentionSection() {
  const { data } = useQuery(api.settings.get.queryOptions())
  return data === undefined ? null : <RetentionForm settings={data} />
}

function RetentionForm({ settings }: { readonly settings: Settings }) {
  const [eventsId, daysId] = [useId(), useId()]
  const { draft, isDirty, set, discard, settle } = useDraft(settings.defaultRetention)
  const { save, problems } = useSaveSettings({
    what: 'Retention',
    note: 'It is what new connections begin with.',
    onSaved: ({ defaultRetention }) => defaultRetention && settle(defaultRetention),
  })
  useUnsavedGuard({
    isDirty,
    what: 'the retention',
    save: () => save.mutateAsync({ defaultRetention: draft }).then(() => true),
  })
  const change = (next: Partial<typeof draft>) => {
    set(next)
    save.reset()
  }
  return (
    <>
      <PageContent>
        <Section
          title="Retention"
          intro="Stored events are kept until one of the two bounds is reached; then the oldest go. New connections begin with these."
        >
          <FormRow label="Events" field={eventsId} help="1 to 10,000,000.">
            <NumberInput
              id={eventsId}
              w={160}
              allowDecimal={false}
              value={draft.maxEvents}
              error={problems['defaultRetention.maxEvents']}
              onChange={value => typeof value === 'number' && change({ maxEvents: value })}
            />
          </FormRow>
          <FormRow label="Days" field={daysId} help="1 to 3,650.">
            <NumberInput
              id={daysId}
              w={160}
              allowDecimal={false}
              value={draft.maxDays}
              error={problems['defaultRetention.maxDays']}
              onChange={value => typeof value === 'number' && change({ maxDays: value })}
            />
          </FormRow>
        </Section>
        <StoringConnections />
      </PageContent>
      {isDirty && (
        <SaveBar
          what={`Unsaved: ${formatNumber(draft.maxEvents)} events, ${formatNumber(draft.maxDays)} days`}
          saving={save.isPending}
          onSave={() => save.mutate({ defaultRetention: draft })}
          onDiscard={() => {
            discard()
            save.reset()
          }}
        />
      )}
    </>
  )
}

function StoringConnections() {
  const { rows, isKnown } = useConnections()
  const storing = rows.filter(({ persistEvents }) => persistEvents)
  return (
    <Section title="Connections that store events" intro="Each one’s own bounds are on its Overview.">
      {!isKnown ? (
        <Unknown />
      ) : storing.length === 0 ? (
        <p className="sm t3">None in this workspace: Log inbound events is off everywhere.</p>
      ) : (
        <Table verticalSpacing={8}>
          <Table.Tbody>
            {storing.map(({ connectionId, name }) => (
              <Table.Tr key={connectionId}>
                <Table.Td>
                  <Link className="link" to="/connections/$connectionId" params={{ connectionId }}>
                    {name}
                  </Link>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  )
}
