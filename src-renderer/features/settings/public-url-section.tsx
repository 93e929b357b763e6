import { Code, SegmentedControl, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { useId, useState } from 'react'
import type { ProbeResult } from '#shared/model/probe.ts'
import { WorkspaceAnswer as Workspace } from '#shared/model/workspace.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useReachesOneNode } from '../../entities/node/use-nodes.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { useDraft } from '../../ui/draft/use-draft.tsx'
import { formatMs } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Note } from '../../ui/note.tsx'
import { fieldErrors } from '../../ui/problem.ts'
import { FormRow, PageContent, Section } from '../../ui/section.tsx'
import { toastDone } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import classes from './settings-page.module.css'
import { type Guide, tunnelGuides } from './tunnel-guides.ts'

/** The address at which other systems reach the open workspace's connections. */
export function PublicUrlSection() {
  const { workspace } = useWorkspace()
  return workspace === null ? null : <PublicUrlForm key={workspace.workspaceId} workspace={workspace} />
}

function PublicUrlForm({ workspace }: { readonly workspace: Workspace }) {
  const { workspaceId, name } = workspace
  const fieldId = useId()
  const service = useQuery(api.service.get.queryOptions())
  const probe = useCommand(client.workspaces.probe, 'The check failed')
  const { draft, change, problems, saveBar } = useDraft({
    storedAs: `settings/public-url/${workspaceId}`,
    fields: { url: 'public URL' },
    saved: workspace,
    draftOf: ({ publicBaseUrl }) => ({ url: publicBaseUrl ?? '' }),
    read: Workspace.parse,
    async save({ url }, _changed, { updatedAt }) {
      const saved = await client.workspaces.update({
        ...{ workspaceId, publicBaseUrl: url === '' ? null : url, ifUpdatedAt: updatedAt },
      })
      await queries.invalidateQueries({ queryKey: api.workspaces.key() })
      toastDone('Public URL saved', 'Inbound URLs show it from now on.')
      return saved
    },
    name: `the public URL of ${name}`,
    failed: 'The public URL was not saved',
    summary: ({ url }) => (url === '' ? 'no public URL' : url),
    note: 'Senders must change their URL too.',
  })
  const { url } = draft
  const shownUrl = url === '' ? service.data?.publicUrl : url
  const reachesOneNode = useReachesOneNode(shownUrl ?? null)
  const check = () => probe.mutate(url === '' ? { workspaceId } : { workspaceId, publicBaseUrl: url })
  const issue = problems.publicBaseUrl ?? fieldErrors(probe.error).publicBaseUrl

  return (
    <PageContent saveBar={saveBar}>
      <Section
        title="Public URL"
        intro="Your tunnel or domain, shown in inbound URLs instead of the listener’s address."
      >
        <FormRow
          label="Public URL"
          below={name}
          field={fieldId}
          help="Optional. Without it, inbound URLs show the listener’s address."
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
                change({ url: event.currentTarget.value.trim() })
                probe.reset()
              }}
            />
            <WriteButton size="md" onClick={check} loading={probe.isPending}>
              Check
            </WriteButton>
          </div>
        </FormRow>
        {reachesOneNode && (
          <Note tone="warn">
            Each node shows its own address in inbound URLs. Set the URL of your load balancer here, or start
            all nodes with <code>--public-url</code>.
          </Note>
        )}
        <FormRow label="Check">
          {probe.data === undefined ? (
            <p className="sm t3" style={{ paddingTop: 6 }}>
              Sends a signed request to {shownUrl === undefined ? 'it' : <code>{shownUrl}</code>} and reports
              whether it arrives here unchanged.
            </p>
          ) : (
            <ProbeOutcome result={probe.data} />
          )}
        </FormRow>
      </Section>
      <TunnelGuides port={service.data?.listener.port ?? null} />
    </PageContent>
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

/** Explains how to get a public address for a listener on this computer. */
function TunnelGuides({ port }: { readonly port: number | null }) {
  const guides = tunnelGuides(port ?? 8787)
  const [chosen, choose] = useState(guides[0]?.id ?? '')
  const guide = guides.find(({ id }) => id === chosen)
  return (
    <Section
      title="Get a public URL"
      intro="A tunnel accepts requests at a public address and forwards them to the listener unchanged."
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
