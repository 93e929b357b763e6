import { Button } from '@mantine/core'
import { useState } from 'react'
import type { AssistantCall, ClientToken } from '#shared/model/assistant.ts'
import { useFirstPages } from '../../client/use-first-pages.ts'
import { RelativeTime, StatusCode } from '../../ui/badges.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { highlight } from '../../ui/highlight.ts'
import { Dot } from '../../ui/pill.tsx'
import { ToolName } from '../../ui/tool-name.tsx'
import classes from './assistant.module.css'
import { labelOfClient } from './configurations.ts'
import { mcpCurl, toolToTry } from './mcp-curl.ts'
import { StepHead } from './step-head.tsx'
import { callerOf, toolsIn, useAssistantCalls, useAssistantTools, useMcpClients } from './use-assistant.ts'

type Access = { readonly url: string; readonly token: string }

/** The last step: a command that makes a first call, and the first call once it has arrived. */
export function FirstCall(props: {
  readonly connectionId: string | null
  /** The token made on this page; null for none. */
  readonly token: ClientToken | null
  /** How curl reaches the service, as shown and as copied; null if it cannot, and until it is known. */
  readonly access: { readonly shown: Access; readonly copied: Access } | null
}) {
  const { connectionId, token, access } = props
  const { data, hasNextPage } = useAssistantCalls()
  const offered = useFirstPages(useAssistantTools(connectionId), toolsIn, 1).items
  const [isShown, setIsShown] = useState(false)
  const last = data?.pages.flatMap(({ calls }) => calls).find(({ source }) => source === 'mcp')
  // Among older calls there may be one.
  const isWaiting = data !== undefined && last === undefined && !hasNextPage
  const tool = offered === undefined ? null : toolToTry(offered, token)
  const called = tool && { ...tool, name: connectionId === null ? tool.name : tool.toolName }
  return (
    <section className={classes.section} aria-label="First call">
      <StepHead number={3} title="See the first call" isDone={last !== undefined}>
        {!isWaiting && access !== null && data !== undefined && (
          <Button
            size="xs"
            variant="subtle"
            aria-expanded={isShown}
            onClick={() => setIsShown(before => !before)}
          >
            {isShown ? 'Hide the curl command' : 'Call with curl'}
          </Button>
        )}
      </StepHead>
      <div role="status" className={classes.first}>
        {isWaiting ? <Waiting /> : last !== undefined && <LastCall call={last} />}
      </div>
      {(isWaiting || isShown) &&
        (access === null ? (
          <p className={`sm t2 ${classes.none}`}>
            Ask the connected client to use one of the tools. Its first call appears here.
          </p>
        ) : (
          <div className={classes.command}>
            <CodeBlock
              label="First call with curl"
              lines={highlight(mcpCurl(access.shown, called), 'bash')}
              copyText={mcpCurl(access.copied, called)}
            />
            <p className="sm t3">
              {called === null
                ? 'No tool only reads and runs at once, so this lists the tools and calls none. Ask the client to use one.'
                : 'It makes a real call of a tool that only reads. Or ask the client to use one of the tools.'}
            </p>
          </div>
        ))}
    </section>
  )
}

function Waiting() {
  const [client] = useMcpClients().data ?? []
  return (
    <>
      <Dot tone="acc" live />
      <span className="w5">Waiting for the first call…</span>
      {client !== undefined && (
        <span className="t3">
          {labelOfClient(client.name)} has sent a request <RelativeTime at={client.lastSeenAt} />.
        </span>
      )}
    </>
  )
}

function LastCall({ call }: { readonly call: AssistantCall }) {
  const { at, name, status, ok, code, reason } = call
  return (
    <>
      <Dot tone={ok ? 'ok' : 'warn'} />
      <span className={classes.firstCall}>
        <strong>{callerOf(call)}</strong> called <ToolName name={name} />
      </span>
      <StatusCode status={status} text={status === null ? code : null} />
      <span className="t3">
        <RelativeTime at={at} />
        {status === null && reason !== null && `. ${reason}`}
      </span>
    </>
  )
}
