import { Switch, Table, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { maxAttempts, type Run, type RunDetails } from '#shared/model/run.ts'
import { WorkspaceAnswer as Workspace } from '#shared/model/workspace.ts'
import { webhookWorkflowId } from '#shared/platform/webhook-workflow.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { SetVariableDialog } from '../../entities/environment/set-variable-dialog.tsx'
import { VariableSelect } from '../../entities/environment/variable-select.tsx'
import { statusLabels } from '../../entities/run/run-labels.ts'
import { StatusIcon, statusColor } from '../../entities/run/status-icon.tsx'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { useDraft } from '../../ui/draft/use-draft.tsx'
import { formatClock, formatExact } from '../../ui/format.ts'
import { Note } from '../../ui/note.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { FormRow, PageContent, Section } from '../../ui/section.tsx'
import { toastDone } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { useNow } from '../../ui/use-now.ts'
import { WriteButton } from '../../ui/write-button.tsx'

const shownDeliveries = 10

/** Where the open workspace sends the platform's webhook events, and its last deliveries. */
export function WebhookSection() {
  const { workspace } = useWorkspace()
  return workspace === null ? null : <WebhookForm key={workspace.workspaceId} workspace={workspace} />
}

type Draft = {
  readonly url: string
  readonly secretVariable: string | null
  readonly enabled: boolean
  readonly alerts: boolean
}

function WebhookForm({ workspace }: { readonly workspace: Workspace }) {
  const { workspaceId, name, webhook } = workspace
  const ids = { url: useId(), secret: useId() }
  /** The variable that is being set; its name is null for a new one. */
  const [setting, setSetting] = useState<{ readonly name: string | null } | null>(null)
  const { data: variables } = useQuery(api.environment.list.queryOptions())
  const test = useCommand(client.workspaces.testWebhook, 'The example was not sent')
  const { draft, changed, change, problems, saveBar } = useDraft({
    storedAs: `settings/webhook/${workspaceId}`,
    fields: { url: 'URL', secretVariable: 'signing secret', enabled: 'sending', alerts: 'alerts' },
    saved: workspace,
    draftOf: ({ webhook }): Draft =>
      webhook ?? { url: '', secretVariable: null, enabled: true, alerts: false },
    read: Workspace.parse,
    validate: ({ url, secretVariable }) =>
      url !== '' && secretVariable === null ? { secretVariable: 'Choose the variable with the secret.' } : {},
    async save({ url, secretVariable, enabled, alerts }, _changed, { updatedAt }) {
      const next = url === '' || secretVariable === null ? null : { url, secretVariable, enabled, alerts }
      const saved = await client.workspaces.update({ workspaceId, webhook: next, ifUpdatedAt: updatedAt })
      await queries.invalidateQueries({ queryKey: api.workspaces.key() })
      test.reset()
      toastDone(next === null ? 'Webhook deleted' : 'Webhook saved')
      return saved
    },
    name: `the webhook of ${name}`,
    failed: 'The webhook was not saved',
    summary: ({ url }) => (url === '' ? 'no webhook' : url),
  })
  const { url, secretVariable, enabled, alerts } = draft
  const isUnset =
    secretVariable !== null &&
    variables !== undefined &&
    !variables.some(one => one.name === secretVariable && one.sources.length > 0)
  const missing = webhook === null ? 'webhook' : changed.length > 0 ? 'changes' : null

  return (
    <PageContent saveBar={saveBar}>
      <Section
        title="Webhook"
        intro={
          <>
            Sends <code>conversation.started</code> to your system when a conversation is started in the
            assistant. Signed and retried like the calls of workflows.
          </>
        }
      >
        <FormRow
          label="URL"
          below={name}
          field={ids.url}
          help="Gets each event as a POST. Leave it empty to send nothing."
        >
          <TextInput
            id={ids.url}
            w={420}
            maw="100%"
            placeholder="https://example.com/events"
            classNames={{ input: 'mono' }}
            value={url}
            error={problems['webhook.url']}
            onChange={event => change({ url: event.currentTarget.value.trim() })}
          />
        </FormRow>
        <FormRow
          label="Signing secret"
          field={ids.secret}
          help="The environment variable that holds it. Your system verifies the signature with the same secret."
        >
          <VariableSelect
            id={ids.secret}
            width={300}
            placeholder="Choose a variable"
            value={secretVariable}
            error={problems.secretVariable ?? problems['webhook.secretVariable']}
            onChange={secretVariable => change({ secretVariable })}
            onNew={() => setSetting({ name: null })}
          />
          {isUnset && (
            <Note tone="warn">
              {secretVariable} is not set, so every delivery fails.{' '}
              <button type="button" className="link" onClick={() => setSetting({ name: secretVariable })}>
                Set it
              </button>
            </Note>
          )}
        </FormRow>
        <FormRow
          label="Send events"
          help="While this is off, nothing is sent. Waiting deliveries stay queued."
        >
          <Switch
            aria-label="Send events"
            checked={enabled}
            onChange={event => change({ enabled: event.currentTarget.checked })}
          />
        </FormRow>
        <FormRow label="Alerts" help="Also sends alert.opened and alert.closed of this workspace.">
          <Switch
            aria-label="Send alerts"
            checked={alerts}
            onChange={event => change({ alerts: event.currentTarget.checked })}
          />
        </FormRow>
        <FormRow label="Test">
          <div className="row">
            <WriteButton
              size="md"
              disabled={missing !== null}
              loading={test.isPending}
              onClick={() => test.mutate({ workspaceId })}
            >
              Send an example
            </WriteButton>
            {missing !== null && <span className="sm t3">Save the {missing} first.</span>}
          </div>
          {test.data !== undefined && <TestOutcome run={test.data} />}
        </FormRow>
      </Section>
      <Deliveries workspaceId={workspaceId} />
      {setting !== null && (
        <SetVariableDialog
          name={setting.name}
          onClose={() => setSetting(null)}
          onSet={secretVariable => change({ secretVariable })}
        />
      )}
    </PageContent>
  )
}

function TestOutcome({ run: { error } }: { readonly run: RunDetails }) {
  return (
    <div aria-live="polite">
      {error === null ? (
        <Note tone="ok">Your system has received the example.</Note>
      ) : (
        <Note tone="bad">
          {error.message} <code className="t3">{error.code}</code>
        </Note>
      )}
    </div>
  )
}

/** The last deliveries. They are runs, so the details of each are among the runs. */
function Deliveries({ workspaceId }: { readonly workspaceId: string }) {
  const workflowId = webhookWorkflowId(workspaceId)
  const query = useQuery(api.runs.list.queryOptions({ input: { workflowId, limit: shownDeliveries } }))
  const runs = query.data?.runs
  return (
    <Section
      title="Last deliveries"
      action={
        runs !== undefined &&
        runs.length > 0 && (
          <Link className="link sm" to="/workflows/runs" search={{ workflow: workflowId, since: 'all' }}>
            Show all
          </Link>
        )
      }
    >
      {runs === undefined ? (
        <QueryState query={query} failed="The deliveries could not be read" />
      ) : runs.length === 0 ? (
        <p className="t3">None yet.</p>
      ) : (
        <Table layout="fixed" fz={13} verticalSpacing={8}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={150}>Time</Table.Th>
              <Table.Th w={140}>Status</Table.Th>
              <Table.Th w={90}>Attempt</Table.Th>
              <Table.Th>Last error</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {runs.map(run => (
              <Delivery key={run.runId} run={run} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  )
}

function Delivery({ run }: { readonly run: Run }) {
  const { runId, workflowId, queuedAt, status, attempt, test, nextAttemptAt, error } = run
  const now = useNow()
  const next = nextAttemptAt === null ? '' : `Next attempt at ${formatClock(nextAttemptAt, now)}. `
  return (
    <Table.Tr>
      <Table.Td className="num">
        <Link
          className="link"
          to="/workflows/runs"
          search={{ workflow: workflowId, since: 'all', run: runId }}
          title={formatExact(queuedAt)}
        >
          {formatClock(queuedAt, now)}
        </Link>
        {test && <span className="t3"> · test</span>}
      </Table.Td>
      <Table.Td>
        <span className={`row ${statusColor(status)}`} style={{ gap: 6 }}>
          <StatusIcon status={status} isNamed />
          <span className="cut">{statusLabels[status]}</span>
        </span>
      </Table.Td>
      <Table.Td className="num">{test ? attempt : `${attempt} of ${maxAttempts}`}</Table.Td>
      <Table.Td className="cut" title={error?.message}>
        {error === null ? <span className="t3">None</span> : `${next}${error.message}`}
      </Table.Td>
    </Table.Tr>
  )
}
