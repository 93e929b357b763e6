import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bot } from 'lucide-react'
import type { Action } from '#shared/model/action.ts'
import { api } from '../../client/client.ts'
import { JsonBlock } from '../../ui/code-block.tsx'
import { ErrorState } from '../../ui/empty-state.tsx'
import { formatCount } from '../../ui/format.ts'
import { Note } from '../../ui/note.tsx'
import { useCurrentConnection } from '../connections/current-connection.tsx'
import { useUpdateConnection } from '../connections/use-update-connection.ts'
import classes from './actions.module.css'
import { estimateTokens } from './test/mapped-fields.ts'
import type { ActionCommands } from './use-action-commands.ts'

/** The tool that the assistant is offered, or why it is not. */
export function AssistantPanel(props: { readonly action: Action; readonly commands: ActionCommands }) {
  const { action, commands } = props
  const { workspaceId } = useCurrentConnection()
  const { data: tools, error } = useQuery(api.tools.list.queryOptions({ input: { workspaceId } }))
  const tool = tools?.find(({ actionId }) => actionId === action.actionId)
  if (error !== null) return <ErrorState title="The tools could not be read" error={error} />
  if (tools === undefined) return null
  if (tool === undefined)
    return (
      <div className={classes.assistant}>
        <NotOffered action={action} commands={commands} />
      </div>
    )
  const { name, toolName, description, inputSchema, annotations } = tool
  const schema = JSON.stringify(inputSchema, null, 2)
  const tokens = estimateTokens(toolName + description + JSON.stringify(inputSchema))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard
    <div className={classes.assistant} tabIndex={0}>
      <div className="row sm t2">
        <Bot />
        <span>Offered as a tool, from the next message on.</span>
        <span className="push t3 num nowrap">about {formatCount(tokens, 'token')}</span>
      </div>
      <dl className={classes.facts}>
        <dt>Tool</dt>
        <dd>
          <code>{toolName}</code>
        </dd>
        <dt>Among all connections</dt>
        <dd>
          <code>{name}</code>
        </dd>
        <dt>Told to be</dt>
        <dd>{annotations.readOnly ? 'read-only' : annotations.destructive ? 'destructive' : 'writing'}</dd>
        <dt>Description</dt>
        <dd className={classes.description}>{description}</dd>
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
      <h3 className="h3">The assistant is not offered this tool</h3>
      {!action.isEnabled && (
        <Note>
          <div className="row">
            <span>The action is switched off.</span>
            <Button className="push" size="xs" onClick={() => commands.setEnabled(action.actionId, true)}>
              Enable action
            </Button>
          </div>
        </Note>
      )}
      {!enabled && (
        <Note>
          <div className="row">
            <span>The connection is switched off, and with it all of its actions.</span>
            <Button className="push" size="xs" onClick={() => update.mutate({ connectionId, enabled: true })}>
              Enable connection
            </Button>
          </div>
        </Note>
      )}
      {baseUrl === null && (
        <Note>
          <div className="row">
            <span>The connection has no base URL, so there is nothing to call.</span>
            <Link className="link push nowrap" to="/connections/$connectionId" params={{ connectionId }}>
              Set it in Overview
            </Link>
          </div>
        </Note>
      )}
      <dl className={classes.facts}>
        <dt>Tool</dt>
        <dd>
          <code>{action.toolName}</code>
        </dd>
        <dt>Description</dt>
        <dd className={classes.description}>{action.description}</dd>
      </dl>
    </>
  )
}
