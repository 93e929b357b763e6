import { Button, Table, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import type { ServiceInfo } from '#shared/model/service.ts'
import { api } from '../../client/client.ts'
import { fieldErrors } from '../../client/problem.ts'
import { RelativeTime, StatusCode, Unknown } from '../../ui/badges.tsx'
import { ErrorState } from '../../ui/empty-state.tsx'
import { Note } from '../../ui/note.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { toastDone, toastUnlessInvalid } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useUnsavedGuard } from '../../ui/use-unsaved-guard.tsx'
import { parsePort, reachOf } from './listener-address.ts'
import { FormRow, PageContent, Section } from './section.tsx'

/** Where the inbound listener listens; moving it takes effect at once. */
export function ListenerSection() {
  const { data, error } = useQuery(api.service.get.queryOptions())
  if (error !== null && data === undefined)
    return <ErrorState title="The service cannot be asked" error={error} />
  return data === undefined ? null : <ListenerForm listener={data.listener} />
}

function ListenerForm({ listener }: { readonly listener: ServiceInfo['listener'] }) {
  const hostId = useId()
  const queries = useQueryClient()
  const { draft, isDirty, set, discard, settle } = useDraft({
    host: listener.host,
    port: String(listener.port),
  })
  const port = parsePort(draft.port)
  const move = useMutation(
    api.service.moveListener.mutationOptions({
      onSuccess(moved, sent) {
        queries.setQueryData(api.service.get.queryKey(), before => before && { ...before, listener: moved })
        settle({ host: sent.host, port: String(sent.port) })
        toastDone(
          'The listener has moved',
          moved.url === null ? undefined : `It listens at ${new URL(moved.url).host}.`,
        )
        void queries.invalidateQueries({ queryKey: api.connections.key() })
      },
      onError: error =>
        toastUnlessInvalid('The listener stays where it is', error, [{ label: 'Try again', run: save }]),
    }),
  )
  function save() {
    if (port !== null) move.mutate({ host: draft.host, port })
  }
  useUnsavedGuard({
    isDirty,
    what: 'the listener’s address',
    save: async () => port !== null && move.mutateAsync({ host: draft.host, port }).then(() => true),
  })
  const problems = fieldErrors(move.error)
  const isFixed = listener.fixedBy !== null
  const before = `${listener.host}:${listener.port}`
  const after = `${draft.host}:${draft.port}`

  return (
    <>
      <PageContent>
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
                onChange={event => {
                  set({ host: event.currentTarget.value })
                  move.reset()
                }}
              />
              <TextInput
                aria-label="Port"
                w={84}
                classNames={{ input: 'mono' }}
                inputMode="numeric"
                value={draft.port}
                disabled={isFixed}
                error={problems.port ?? (port === null ? '0 to 65535' : undefined)}
                onChange={event => {
                  set({ port: event.currentTarget.value })
                  move.reset()
                }}
              />
            </div>
          </FormRow>
          {isFixed && (
            <Note>
              The address was given on the command line, with <code>--host</code> or <code>--port</code>, and
              is changed there.
            </Note>
          )}
          <FormRow label="From outside">
            <p className="sm t3" style={{ paddingTop: 6 }}>
              A tunnel or a domain of your own goes in front of it:{' '}
              <Link className="link" to="/settings/$section" params={{ section: 'public-url' }}>
                Public URL
              </Link>
              .
            </p>
          </FormRow>
        </Section>
        <UnknownTokens />
      </PageContent>
      {isDirty && (
        <SaveBar
          what={`Unsaved: ${before} → ${after}`}
          note="Senders must change their URL too."
          saveLabel="Save and move the listener"
          saving={move.isPending}
          onSave={save}
          onDiscard={() => {
            discard()
            move.reset()
          }}
        />
      )}
    </>
  )
}

/** The newest shown; the service keeps 200. */
const maxShown = 20

/** Requests that no connection could be found for: a mistyped or an old URL, or somebody who guesses. */
function UnknownTokens() {
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
