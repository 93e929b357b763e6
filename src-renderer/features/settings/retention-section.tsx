import { Button, Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Settings } from '#shared/model/settings.ts'
import { api } from '../../client/client.ts'
import { useStoringConnections } from '../../entities/connection/use-connections.ts'
import { Unknown } from '../../ui/badges.tsx'
import { useDraft } from '../../ui/draft/use-draft.tsx'
import { formatNumber } from '../../ui/format.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { NumberRow, PageContent, Section } from '../../ui/section.tsx'
import { saveSettings } from './save-settings.ts'

/** The retention of new connections, and the connections that store events. */
export function RetentionSection() {
  const query = useQuery(api.settings.get.queryOptions())
  if (query.data !== undefined) return <RetentionForm settings={query.data} />
  return <QueryState query={query} failed="The retention could not be read" />
}

function RetentionForm({ settings }: { readonly settings: Settings }) {
  const { draft, change, problems, saveBar } = useDraft({
    storedAs: 'settings/retention',
    fields: { maxEvents: 'events', maxDays: 'days' },
    saved: settings,
    draftOf: ({ defaultRetention }) => defaultRetention,
    read: Settings.parse,
    save: (sent, _changed, { updatedAt }) =>
      saveSettings('Retention', 'It applies to new connections.', {
        ...{ defaultRetention: sent, ifUpdatedAt: updatedAt },
      }),
    name: 'the retention',
    failed: 'The retention was not saved',
    summary: ({ maxEvents, maxDays }) => `${formatNumber(maxEvents)} events, ${formatNumber(maxDays)} days`,
  })
  return (
    <PageContent saveBar={saveBar}>
      <Section
        title="Retention"
        intro="For new connections only: existing ones keep their own limits. When a connection reaches either limit, its oldest events are deleted."
      >
        <NumberRow
          label="Events"
          help="1 to 10,000,000."
          value={draft.maxEvents}
          error={problems['defaultRetention.maxEvents']}
          onChange={maxEvents => change({ maxEvents })}
        />
        <NumberRow
          label="Days"
          help="1 to 3,650."
          value={draft.maxDays}
          error={problems['defaultRetention.maxDays']}
          onChange={maxDays => change({ maxDays })}
        />
      </Section>
      <StoringConnections />
    </PageContent>
  )
}

function StoringConnections() {
  const { rows: storing, isKnown, loadMore } = useStoringConnections()
  return (
    <Section
      title="Connections that store events"
      intro="To change the limits of one of them, open it and choose Timeout and retention on its Overview."
    >
      {!isKnown ? (
        <Unknown />
      ) : storing.length === 0 ? (
        <p className="sm t3">None in this workspace: Log inbound events is off for every connection.</p>
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
      {loadMore !== undefined && <Button onClick={loadMore}>Show more</Button>}
    </Section>
  )
}
