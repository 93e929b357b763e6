import { Button, Table, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import type { ServiceInfo } from '#shared/model/service.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useHasSeveralNodes } from '../../entities/node/use-nodes.ts'
import { RelativeTime, StatusCode, Unknown } from '../../ui/badges.tsx'
import { type Problems, useDraft } from '../../ui/draft/use-draft.tsx'
import { Note } from '../../ui/note.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { FormRow, PageContent, Section } from '../../ui/section.tsx'
import { toastDone } from '../../ui/toasts.tsx'
import { parsePort, reachOf } from './listener-address.ts'

/** The inbound listener's address, which takes effect when it is saved, and requests to unknown URLs. */
export function ListenerSection() {
  const query = useQuery(api.service.get.queryOptions())
  if (query.data !== undefined) return <ListenerForm {...query.data} />
  return <QueryState query={query} failed="The listener’s address could not be read" />
}

function ListenerForm({ listener, database }: Pick<ServiceInfo, 'listener' | 'database'>) {
  const hostId = useId()
  const isOneOfSeveral = useHasSeveralNodes()
  const { draft, change, problems, saveBar } = useDraft({
    storedAs: 'settings/listener',
    fields: { host: 'address', port: 'port' },
    saved: listener,
    draftOf: ({ host, port }) => ({ host, port: String(port) }),
    validate: ({ port }): Problems => (parsePort(port) === null ? { port: '0 to 65535' } : {}),
    async save({ host, port }) {
      const moved = await client.service.moveListener({ host, port: parsePort(port) ?? 0 })
      queries.setQueryData(api.service.get.queryKey(), before => before && { ...before, listener: moved })
      void queries.invalidateQueries({ queryKey: api.connections.key() })
      toastDone('The listener has moved', moved.url ? `It listens at ${new URL(moved.url).host}.` : undefined)
      return moved
    },
    name: 'the listener’s address',
    failed: 'The listener was not moved',
    summary: ({ host, port }) => `${listener.host}:${listener.port} → ${host}:${port}`,
    note: 'Senders must change their URL too.',
    saveLabel: 'Save and move the listener',
  })
  const isFixed = listener.fixedBy !== null

  return (
    <PageContent saveBar={saveBar}>
      <Section title="Listener" intro="Where your systems send their events.">
        <FormRow
          label="Address and port"
          field={hostId}
          help={
            <>
              {reachOf(draft.host)} Use <code>0.0.0.0</code> to accept events from your network.
            </>
          }
        >
          <div className="row" style={{ alignItems: 'flex-start' }}>
            <TextInput
              id={hostId}
              w={188}
              classNames={{ input: 'mono' }}
              value={draft.host}
              disabled={isFixed}
              error={problems.host}
              onChange={event => change({ host: event.currentTarget.value })}
            />
            <TextInput
              aria-label="Port"
              w={84}
              classNames={{ input: 'mono' }}
              inputMode="numeric"
              value={draft.port}
              disabled={isFixed}
              error={problems.port ?? (parsePort(draft.port) === null ? '0 to 65535' : undefined)}
              onChange={event => change({ port: event.currentTarget.value })}
            />
          </div>
        </FormRow>
        {isFixed && (
          <Note>
            {database === null ? 'The address was' : 'With a database, the address is'} set on the command
            line, with <code>--host</code> or <code>--port</code>. Change it there.
            {isOneOfSeveral && ' Each node has its own; this is the address of the one that has answered.'}
          </Note>
        )}
        <FormRow label="From outside">
          <p className="sm t3" style={{ paddingTop: 6 }}>
            To receive events from the internet, put a tunnel or your own domain in front of it:{' '}
            <Link className="link" to="/settings/$section" params={{ section: 'public-url' }}>
              Public URL
            </Link>
            .
          </p>
        </FormRow>
      </Section>
      <UnknownTokens />
    </PageContent>
  )
}

/** How many of the newest are shown; the service keeps 200. */
const maxShown = 20

/** Requests whose token belongs to no connection: from a mistyped or an old URL, or guessed. */
function UnknownTokens() {
  const { data, refetch, isFetching } = useQuery(api.attempts.unknownToken.queryOptions())
  const attempts = data?.attempts ?? []
  return (
    <Section
      title="Requests to unknown URLs"
      intro="The URL is mistyped or was replaced. Requests are kept for 7 days, their bodies only until a restart."
      action={
        <Button onClick={() => void refetch()} loading={isFetching}>
          Refresh
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
              <Table.Th>Response</Table.Th>
              <Table.Th>Sender</Table.Th>
              <Table.Th>Body</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {attempts.slice(0, maxShown).map((attempt, index) => (
              // Several may share a millisecond.
              // biome-ignore lint/suspicious/noArrayIndexKey: the list is shown as it is and never reordered
              <Table.Tr key={index}>
                <Table.Td>
                  <RelativeTime at={attempt.at} />
                </Table.Td>
                <Table.Td>
                  <StatusCode status={404} text={attempt.code} />
                </Table.Td>
                <Table.Td className="t2">
                  {attempt.headers.find(([name]) => name.toLowerCase() === 'user-agent')?.[1] ?? 'Unknown'}
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
