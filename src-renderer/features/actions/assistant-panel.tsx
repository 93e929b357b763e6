import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bot } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Action } from '#shared/model/action.ts'
import { api } from '../../client/client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { useUpdateConnection } from '../../entities/connection/use-update-connection.ts'
import { JsonBlock } from '../../ui/code-block.tsx'
import { Fact } from '../../ui/fact.tsx'
import { formatCount } from '../../ui/format.ts'
import { Note } from '../../ui/note.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { ToolName } from '../../ui/tool-name.tsx'
import { WriteButton } from '../../ui/write-button.tsx'
import classes from './actions.module.css'
import { estimateTokens } from './test/mapped-fields.ts'
import type { FreshTest } from './test/shown-test.ts'
import { ToolWarnings } from './tool-warnings.tsx'
import type { ActionCommands } from './use-action-commands.ts'
import type { DraftForm } from './use-action-draft.ts'

/** Shows the tool that the assistant gets, or why it gets none. */
export function AssistantPanel(props: {
  readonly action: Action
  readonly commands: ActionCommands
  readonly form: DraftForm
  /** The full result of the last test on this page. */
  readonly fresh: FreshTest | undefined
}) {
  const { action, commands, form, fresh } = props
  const { workspaceId, connectionId } = useCurrentConnection()
  const query = useQuery(api.tools.list.queryOptions({ input: { connectionId } }))
  const tools = query.data
  const tool = tools?.find(({ actionId }) => actionId === action.actionId)
  if (tools === undefined) return <QueryState query={query} failed="The tools could not be read" />
  if (tool === undefined)
    return (
      <div className={classes.assistant}>
        <NotOffered action={action} commands={commands} />
        <ToolWarnings action={action} form={form} fresh={fresh} />
        <dl className={classes.facts}>
          <Fact name="Tool">
            <code>{action.toolName}</code>
          </Fact>
          <Fact name="Description">{action.description}</Fact>
        </dl>
      </div>
    )
  const { name, toolName, description, inputSchema, annotations } = tool
  const schema = JSON.stringify(inputSchema, null, 2)
  const tokens = estimateTokens(toolName + description + JSON.stringify(inputSchema))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <div className={classes.assistant} tabIndex={0}>
      <div className="row sm t2">
        <Bot />
        <span>Offered as a tool, from the next message on.</span>
        <span className="push t3 num nowrap">about {formatCount(tokens, 'token')}</span>
      </div>
      <ToolWarnings action={action} form={form} fresh={fresh} />
      <dl className={classes.facts}>
        <Fact name="Called">
          <div className={classes.named}>
            <ToolName name={name} hasCopy />
            <span className="t3">
              at <code>{workspaceId === 'default' ? '/mcp' : `/mcp/workspaces/${workspaceId}`}</code> and in
              conversations
            </span>
          </div>
          <div className={classes.named}>
            <ToolName name={toolName} hasCopy />
            <span className="t3">
              at <code>/mcp/{connectionId}</code>, the address of this connection
            </span>
          </div>
        </Fact>
        <Fact name="Annotated as">
          {annotations.readOnly ? 'read-only' : annotations.destructive ? 'destructive' : 'writing'}
        </Fact>
        <Fact name="Description">{description}</Fact>
      </dl>
      <h3 className="h3">Input, as JSON Schema</h3>
      <JsonBlock text={schema} label="JSON Schema of the input" copyText={schema} />
    </div>
  )
}

function NotOffered(props: { readonly action: Action; readonly commands: ActionCommands }) {
  const { action, commands } = props
  const { connectionId, enabled, baseUrl } = useCurrentConnection()
  const update = useUpdateConnection()
  return (
    <>
      <h3 className="h3">The assistant does not get this tool</h3>
      {!action.isEnabled && (
        <Reason text="The action is disabled.">
          <WriteButton size="xs" onClick={() => commands.setEnabled(action.actionId, true)}>
            Enable action
          </WriteButton>
        </Reason>
      )}
      {!enabled && (
        <Reason text="The connection is disabled, and all of its actions with it.">
          <WriteButton size="xs" onClick={() => update.mutate({ connectionId, enabled: true })}>
            Enable connection
          </WriteButton>
        </Reason>
      )}
      {baseUrl === null && (
        <Reason text="The connection has no base URL, so its actions cannot be called.">
          <Link className="link nowrap" to="/connections/$connectionId" params={{ connectionId }}>
            Set it in Overview
          </Link>
        </Reason>
      )}
    </>
  )
}

function Reason({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return (
    <Note>
      <div className="row">
        <span className="grow">{text}</span>
        {children}
      </div>
    </Note>
  )
}
