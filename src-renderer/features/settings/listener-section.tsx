import { TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import type { ServiceInfo } from '#shared/model/service.ts'
import { api } from '../../client/client.ts'
import { fieldErrors, problemOf } from '../../client/problem.ts'
import { ErrorState } from '../../ui/empty-state.tsx'
import { Note } from '../../ui/note.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useUnsavedGuard } from '../../ui/use-unsaved-guard.tsx'
import { parsePort, reachOf } from './listener-address.ts'
import { PageContent } from './page-content.tsx'
import { FormRow, Section } from './section.tsx'
import { UnknownTokens } from './unknown-tokens.tsx'

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
      onError(error) {
        if (problemOf(error).issues.length === 0)
          toastProblem('The listener stays where it is', error, [{ label: 'Try again', run: save }])
      },
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
  const problems = move.error === null ? {} : fieldErrors(problemOf(move.error))
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
