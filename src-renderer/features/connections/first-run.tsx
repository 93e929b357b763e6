import { useQuery } from '@tanstack/react-query'
import { Box, Download, File, type LucideIcon, Plug } from 'lucide-react'
import type { ReactNode } from 'react'
import { api } from '../../client/client.ts'
import { useLoadSample } from '../../entities/connection/use-update-connection.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { useOverlays } from '../../overlays.tsx'
import { focusIfWanted } from '../../ui/focus.ts'
import tiles from '../../ui/icon-tile.module.css'
import { KeyButton } from '../../ui/keys.tsx'
import { Body, Foot } from '../../ui/page.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { WriteButton } from '../../ui/write-button.tsx'
import classes from './first-run.module.css'

/** Explains connections to a new user, with the ways to get the first one. */
export default function FirstRun() {
  const { open } = useOverlays()
  const { workspace } = useWorkspace()
  const { data: service } = useQuery(api.service.get.queryOptions())
  const sample = useLoadSample()
  const load = () => sample.mutate()
  /** A database is shared, and the sample's server is a part of one service. */
  const hasSample = typeof service?.database !== 'string'
  const loadShortcut = { keys: 'l', label: 'Load the sample', group: 'Connections' }
  useShortcut(loadShortcut, load, hasSample && !sample.isPending)
  const address = workspace?.publicBaseUrl ?? service?.publicUrl
  return (
    <>
      <Body>
        <div className={classes.wrap}>
          <h2>Connect your first system</h2>
          <p className={classes.lead}>
            A connection gives your system one URL to send signed events to, and gives assistants and
            workflows a set of your endpoints to call.
          </p>
          <Diagram />
          <div className={classes.ways}>
            <Way
              isFirst
              icon={Plug}
              title="Create a connection"
              text="Give it a name. The inbound URL and signing secret are made for you and work at once."
            >
              <KeyButton
                ref={focusIfWanted}
                variant="filled"
                size="md"
                keys="n"
                onClick={() => open({ kind: 'new-connection' })}
              >
                New connection
              </KeyButton>
            </Way>
            <Way
              icon={Download}
              title="Import a document"
              text="Bring actions and event types as JSON. A preview shows what will be created."
            >
              <KeyButton size="md" keys="i" onClick={() => open({ kind: 'import', request: {} })}>
                Import
              </KeyButton>
            </Way>
            {hasSample && (
              <Way
                icon={Box}
                title="Load a sample"
                text="An order system with a small local server. Send events and call actions right away."
              >
                <WriteButton size="md" keys="l" onClick={load} loading={sample.isPending}>
                  Load sample
                </WriteButton>
              </Way>
            )}
          </div>
          <p className={`sm t3 ${classes.hint}`}>
            <File />
            You can also drop an import document anywhere in this window.
          </p>
        </div>
      </Body>
      <Foot
        hints={{
          n: 'new connection',
          i: 'import',
          ...(hasSample && { l: 'load the sample' }),
          '?': 'all shortcuts',
        }}
      >
        {address !== undefined && service?.listener.url !== null && (
          <>
            Ready for events on <span className="mono">{address}</span>
          </>
        )}
      </Foot>
    </>
  )
}

function Way(props: {
  readonly icon: LucideIcon
  readonly title: string
  readonly text: string
  readonly isFirst?: boolean
  readonly children: ReactNode
}) {
  const { icon: Icon, title, text, isFirst, children } = props
  return (
    <article className={classes.way} data-accent={isFirst}>
      <span className={tiles.tile}>
        <Icon size={16} />
      </span>
      <h3 className="h3">{title}</h3>
      <p className="sm t2">{text}</p>
      <div>{children}</div>
    </article>
  )
}

function Diagram() {
  return (
    <div
      className={classes.diagram}
      role="img"
      aria-label="Your system sends signed events to Custom Connection; Custom Connection makes signed calls to your system."
    >
      <div className={classes.node}>
        <span className="w6">Your system</span>
        <span className="sm t3">ERP, shop, CRM, script</span>
      </div>
      <div className={classes.lanes}>
        <Lane label="Events" example="order.paid" to="right" />
        <Lane label="Actions" example="create_refund" to="left" />
      </div>
      <div className={classes.node} data-us>
        <span className="w6">Custom Connection</span>
        <span className="sm t2">Workflows and assistants</span>
      </div>
    </div>
  )
}

function Lane(props: { readonly label: string; readonly example: string; readonly to: 'left' | 'right' }) {
  return (
    <div className="stack" style={{ gap: 5 }}>
      <div className={`sm ${classes.laneWords}`}>
        <span className="w5">{props.label}</span>
        <code className="t3">{props.example}</code>
      </div>
      <div className={classes.arrow} data-to={props.to} />
    </div>
  )
}
