import { Button, Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../client/client.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusCode } from '../../ui/status-code.tsx'
import { Unknown } from '../../ui/unknown.tsx'
import { Section } from './section.tsx'

/** The newest shown; the service keeps 200. */
const maxShown = 20

/** Requests that no connection could be found for: a mistyped or an old URL, or somebody who guesses. */
export function UnknownTokens() {
  const { data, refetch, isFetching } = useQuery(api.attempts.unknownToken.queryOptions())
  const attempts = data?.attempts ?? []
  return (
    <Section
      title="Requests to unknown URLs"
      intro="Their token belongs to no connection: the URL is mistyped, or a new one was made since. Kept for 7 days, without their bodies after a restart."
      action={
        <Button onClick={() => void refetch()} loading={isFetching}>
          Look again
        </Button>
      }
    >
      {data === undefined ? (
        <Unknown />
      ) : attempts.length === 0 ? (
        <p className="sm t3">None in the last 7 days.</p>
      ) : (
        <Table verticalSpacing={6} fz={12}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>When</Table.Th>
              <Table.Th>Answered</Table.Th>
              <Table.Th>Sender</Table.Th>
              <Table.Th>Body</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {attempts.slice(0, maxShown).map((attempt, index) => (
              // Several may have come in the same millisecond.
              // biome-ignore lint/suspicious/noArrayIndexKey: the list is shown as it is and never reordered
              <Table.Tr key={index}>
                <Table.Td>
                  <RelativeTime at={attempt.at} />
                </Table.Td>
                <Table.Td>
                  <StatusCode status={404} text={attempt.code} />
                </Table.Td>
                <Table.Td className="t2">
                  {attempt.headers.find(([name]) => name.toLowerCase() === 'user-agent')?.[1] ?? 'Not named'}
                </Table.Td>
                <Table.Td className="mono cut" maw={320}>
                  {attempt.bodyText}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  )
}
