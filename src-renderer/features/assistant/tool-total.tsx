import type { AssistantTool } from '#shared/model/assistant.ts'
import { warningSummary } from '../../entities/action/warning-labels.ts'
import { toTens } from '../../entities/tool/listing-labels.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import classes from './tool-list.module.css'

/** The tokens of the tools together, and the address at which they have the names that are shown. */
export function ToolTotal(props: {
  readonly tools: readonly AssistantTool[]
  readonly connectionId: string | null
  /** Whether there are more. */
  readonly isCut: boolean
  /** The tokens of all tools; null if that is not known. */
  readonly all: number | null
  /** The tokens of the three tools with which the client finds the others; null if it gets all. */
  readonly onDemand: number | null
  readonly isNarrowed: boolean
  readonly onNarrow: (isNarrowed: boolean) => void
}) {
  const { tools, connectionId, isCut, all, onDemand, isNarrowed, onNarrow } = props
  const isOfAll = isCut && all !== null
  const isCounted = isOfAll || tools.every(({ tokens }) => tokens !== null)
  const total = isOfAll ? all : tools.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0)
  const summary = warningSummary(tools)
  return (
    <div className={classes.total}>
      {onDemand === null ? (
        <p className="num">
          <strong>{isCounted ? `About ${formatNumber(toTens(total))} tokens` : 'Tokens not known'}</strong>
          <span className="t2">
            for {isOfAll ? 'all tools' : `${isCut ? 'the first ' : ''}${formatCount(tools.length, 'tool')}`}
          </span>
        </p>
      ) : (
        <p className="num">
          <strong>{formatNumber(toTens(onDemand))} tokens</strong>
          <span className="t2">for three tools, which find these</span>
        </p>
      )}
      <p className="sm t3">
        Added to every conversation.{' '}
        {summary !== null && (
          <button
            type="button"
            className="link"
            aria-pressed={isNarrowed}
            onClick={() => onNarrow(!isNarrowed)}
          >
            {isNarrowed ? 'Show all tools' : summary}
          </button>
        )}
      </p>
      <Address connectionId={connectionId} />
    </div>
  )
}

/** Says at which address the tools have the names that are shown. */
function Address({ connectionId }: { readonly connectionId: string | null }) {
  const { workspace } = useWorkspace()
  const workspaceId = workspace?.workspaceId ?? 'default'
  if (connectionId !== null)
    return (
      <p className="sm t3">
        Names at <code>/mcp/{connectionId}</code>. At the address of all connections, they have a prefix.
      </p>
    )
  return (
    <p className="sm t3">
      Names at <code>{workspaceId === 'default' ? '/mcp' : `/mcp/workspaces/${workspaceId}`}</code> and in
      conversations. At the address of one connection, they have no prefix.
    </p>
  )
}
