import { Button, Code, SegmentedControl, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { useId, useState } from 'react'
import type { ProbeResult } from '#shared/model/probe.ts'
import type { Workspace } from '#shared/model/workspace.ts'
import { api } from '../../client/client.ts'
import { fieldErrors } from '../../client/problem.ts'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { formatMs } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Note } from '../../ui/note.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { toastDone, toastProblem, toastUnlessInvalid } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useUnsavedGuard } from '../../ui/use-unsaved-guard.tsx'
import { useWorkspace } from '../workspaces/current-workspace.tsx'
import { FormRow, PageContent, Section } from './section.tsx'
import classes from './settings-page.module.css'
import { type Guide, tunnelGuides } from './tunnel-guides.ts'

/** Under which address the open workspace's connections are reached from outside. */
export function PublicUrlSection() {
  const { workspace } = useWorkspace()
  return workspace === null ? null : <PublicUrlForm key={workspace.workspaceId} workspace={workspace} />
}

function PublicUrlForm({ workspace }: { readonly workspace: Workspace }) {
  const { workspaceId, name, publicBaseUrl } = workspace
  const fieldId = useId()
  const queries = useQueryClient()
  const service = useQuery(api.service.get.queryOptions())
  const { draft, isDirty, set, discard, settle } = useDraft({ url: publicBaseUrl ?? '' })
  const probe = useMutation(
    api.workspaces.probe.mutationOptions({
      onError: error => toastProblem('The check could not be made', error),
    }),
  )
  const update = useMutation(
    api.workspaces.update.mutationOptions({
      async onSuccess(_kept, sent) {
        await queries.invalidateQueries({ queryKey: api.workspaces.key() })
        settle({ url: sent.publicBaseUrl ?? '' })
        toastDone('Public URL saved', 'Inbound URLs show it from now on.')
      },
      onError: error => toastUnlessInvalid('The public URL was not saved', error),
    }),
  )
  const { url } = draft
  const edited = { workspaceId, publicBaseUrl: url === '' ? null : url }
  useUnsavedGuard({
    isDirty,
    what: `the public URL of ${name}`,
    save: () => update.mutateAsync(edited).then(() => true),
  })
  const shownUrl = url === '' ? service.data?.publicUrl : url
  const check = () => probe.mutate(url === '' ? { workspaceId } : { workspaceId, publicBaseUrl: url })
  const problem = update.error ?? probe.error
  const issue = fieldErrors(problem).publicBaseUrl

  return (
    <>
      <PageContent>
        <Section
          title="Public URL"
          intro="A tunnel or a domain of your own, shown in inbound URLs in place of the listener’s address."
        >
          <FormRow
            label="Public URL"
            below={name}
            field={fieldId}
            help="Leave it empty to show the listener’s own address."
          >
            <div className="row" style={{ alignItems: 'flex-start' }}>
              <TextInput
                id={fieldId}
                w={420}
                maw="100%"
                placeholder="https://hooks.example.com"
                classNames={{ input: 'mono' }}
                value={url}
                error={issue}
                onChange={event => {
                  set({ url: event.currentTarget.value.trim() })
                  update.reset()
                  probe.reset()
                }}
              />
              <Button size="md" onClick={check} loading={probe.isPending}>
                Check
              </Button>
            </div>
          </FormRow>
          <FormRow label="Check">
            {probe.data === undefined ? (
              <p className="sm t3" style={{ paddingTop: 6 }}>
                Sends a signed probe to {shownUrl === undefined ? 'it' : <code>{shownUrl}</code>} and says
                whether it arrives here, byte for byte as it was signed.
              </p>
            ) : (
              <ProbeOutcome result={probe.data} />
            )}
          </FormRow>
        </Section>
        <TunnelGuides port={service.data?.listener.port ?? null} />
      </PageContent>
      {isDirty && (
        <SaveBar
          what={url === '' ? 'Unsaved: no public URL' : `Unsaved: ${url}`}
          note="Senders must change their URL too."
          saving={update.isPending}
          onSave={() => update.mutate(edited)}
          onDiscard={() => {
            discard()
            update.reset()
          }}
        />
      )}
    </>
  )
}

function ProbeOutcome({ result }: { readonly result: ProbeResult }) {
  const { ok, message, code, status, totalMs } = result
  return (
    <div aria-live="polite">
      <Note tone={ok ? 'ok' : 'bad'}>
        <p>{message}</p>
        <p className="t3">
          {!ok && <code>{code}</code>} {status !== null && `Answered ${status}`} after {formatMs(totalMs)}
        </p>
      </Note>
    </div>
  )
}

/** How to get a public address for a listener on this computer. */
function TunnelGuides({ port }: { readonly port: number | null }) {
  const guides = tunnelGuides(port ?? 8787)
  const [chosen, choose] = useState(guides[0]?.id ?? '')
  const guide = guides.find(({ id }) => id === chosen)
  return (
    <Section
      title="Get one for this computer"
      intro="A tunnel takes requests at a public address and passes them on to the listener, untouched."
      action={
        <SegmentedControl
          aria-label="Tunnel"
          value={chosen}
          onChange={choose}
          data={guides.map(({ id, name }) => ({ value: id, label: name }))}
        />
      }
    >
      {guide !== undefined && <Steps guide={guide} />}
    </Section>
  )
}

function Steps({ guide }: { readonly guide: Guide }) {
  return (
    <ol className={classes.steps}>
      {guide.steps.map(({ text, command }) => (
        <li key={text}>
          <span>{text}</span>
          {command !== undefined && (
            <div className={classes.command}>
              <Code className="grow cut">{command}</Code>
              <IconButton
                icon={Copy}
                label={`Copy: ${command}`}
                size="xs"
                onClick={() => void copyWithToast(command, 'Command')}
              />
            </div>
          )}
        </li>
      ))}
    </ol>
  )
}
