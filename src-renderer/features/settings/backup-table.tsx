import { Button, Table } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Backup, BackupSource } from '#shared/model/backup.ts'
import { maxPage } from '#shared/model/page.ts'
import { api } from '../../client/client.ts'
import { Unknown } from '../../ui/badges.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatBytes, formatMinute } from '../../ui/format.ts'
import { Pill } from '../../ui/pill.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { Section } from '../../ui/section.tsx'

const sourceWords: Readonly<Record<BackupSource, string>> = {
  schedule: 'Schedule',
  command: 'Command or app',
  rest: 'Download',
  noted: 'Noted',
}

const rowsAtFirst = 10
const readEveryMs = 10_000

/** The backups that the service has made or was told of, also the failed ones. */
export function BackupTable() {
  const [shown, setShown] = useState(rowsAtFirst)
  const query = useQuery(
    api.backups.list.queryOptions({
      // One more says whether there are further ones.
      input: { limit: Math.min(shown + 1, maxPage) },
      refetchInterval: readEveryMs,
      placeholderData: keepPreviousData,
    }),
  )
  const backups = query.data
  return (
    <Section
      title="Backups so far"
      intro="Newest first, with those that failed. The service can be told of others: POST /api/v1/backups/note."
    >
      {backups === undefined ? (
        <QueryState query={query} failed="The backups could not be read" />
      ) : backups.length === 0 ? (
        <EmptyState title="No backups are known yet">
          Make one here, on the command line, or on a schedule.
        </EmptyState>
      ) : (
        <Table layout="fixed" fz={13} verticalSpacing={8}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={150}>Data of</Table.Th>
              <Table.Th w={84}>Result</Table.Th>
              <Table.Th w={130} visibleFrom="sm">
                Made by
              </Table.Th>
              <Table.Th w={80}>Size</Table.Th>
              <Table.Th>File or note</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {backups.slice(0, shown).map(backup => (
              <BackupRow key={backup.at} backup={backup} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      {backups !== undefined && backups.length > shown && (
        <Button mt={8} onClick={() => setShown(shown + 50)}>
          Show more
        </Button>
      )}
    </Section>
  )
}

function BackupRow({ backup: { at, ok, source, bytes, label, error } }: { readonly backup: Backup }) {
  return (
    <Table.Tr>
      <Table.Td className="num">{formatMinute(at)}</Table.Td>
      <Table.Td>
        <Pill tone={ok ? 'ok' : 'bad'}>{ok ? 'Good' : 'Failed'}</Pill>
      </Table.Td>
      <Table.Td visibleFrom="sm">{sourceWords[source]}</Table.Td>
      <Table.Td className="num">{bytes !== null ? formatBytes(bytes) : ok ? <Unknown /> : null}</Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        {/* The file of a failed one is not there. */}
        {ok && label !== null && <div className="mono sm">{label}</div>}
        {error !== null && <div className={ok ? 'sm warn' : 'sm t2'}>{error}</div>}
      </Table.Td>
    </Table.Tr>
  )
}
