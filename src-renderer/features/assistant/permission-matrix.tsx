import { Button } from '@mantine/core'
import { type KeyboardEvent, useRef, useState } from 'react'
import type { AssistantTool, ClientToken } from '#shared/model/assistant.ts'
import type { Permission } from '#shared/model/permission.ts'
import { Method } from '../../ui/badges.tsx'
import { formatNumber } from '../../ui/format.ts'
import page from './assistant.module.css'
import classes from './permission-matrix.module.css'
import { allowedBy, nextPermission } from './permissions.ts'
import { useAssistantTools } from './use-assistant.ts'
import { useClientTokens, useSetPermission } from './use-client-tokens.ts'

const words: Readonly<Record<Permission, string>> = { run: 'Runs', ask: 'Asks', refuse: 'Refused' }
/** The keys that set a cell, as long as the grid has the focus. */
const keys: Readonly<Record<string, Permission>> = { r: 'run', a: 'ask', x: 'refuse' }

/** How many tools are shown at first, because each has a cell for each token. */
const most = 50

/** Shows which tools each client may call: a grid of tools and tokens. */
export function PermissionMatrix() {
  const [isWhole, setIsWhole] = useState(false)
  const tokens = useClientTokens().data
  const tools = useAssistantTools().data?.tools
  if (tokens === undefined || tools === undefined || tokens.length === 0 || tools.length === 0) return null
  return (
    <section className={page.section} aria-label="What each client may call">
      <div className={page.sectionHead}>
        <h2 className="h3">What each client may call</h2>
        <span className="sm t3">R runs, A asks first, X refused</span>
      </div>
      <Grid tools={isWhole ? tools : tools.slice(0, most)} tokens={tokens} />
      {!isWhole && tools.length > most && (
        <div className={page.more}>
          <Button size="xs" variant="subtle" onClick={() => setIsWhole(true)}>
            Show all {formatNumber(tools.length)} tools
          </Button>
        </div>
      )}
    </section>
  )
}

// A table whose cells the arrow keys reach.
const gridProps = { role: 'grid', 'aria-label': 'Permissions' }
const cellProps = { role: 'gridcell' }

type Place = { readonly row: number; readonly column: number }

function Grid(props: { readonly tools: readonly AssistantTool[]; readonly tokens: readonly ClientToken[] }) {
  const { tools, tokens } = props
  const setPermission = useSetPermission()
  const grid = useRef<HTMLTableElement>(null)
  const [at, setAt] = useState<Place>({ row: 0, column: 0 })
  const current = { row: Math.min(at.row, tools.length - 1), column: Math.min(at.column, tokens.length - 1) }

  function go(to: Place): void {
    const row = Math.max(0, Math.min(tools.length - 1, to.row))
    const column = Math.max(0, Math.min(tokens.length - 1, to.column))
    setAt({ row, column })
    grid.current?.querySelector<HTMLElement>(`[data-cell="${row} ${column}"]`)?.focus()
  }
  function set(tool: AssistantTool, token: ClientToken, to: (before: Permission) => Permission): void {
    const allowed = allowedBy(token, tool)
    if (allowed === null || allowed.isFixed) return
    setPermission({ tokenId: token.tokenId, tool, permission: to(allowed.permission) })
  }
  function onKeyDown(event: KeyboardEvent, { row, column }: Place): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const steps: Readonly<Record<string, Place>> = {
      ArrowDown: { row: row + 1, column },
      ArrowUp: { row: row - 1, column },
      ArrowRight: { row, column: column + 1 },
      ArrowLeft: { row, column: column - 1 },
      Home: { row, column: 0 },
      End: { row, column: tokens.length - 1 },
    }
    const step = steps[event.key]
    const permission = keys[event.key.toLowerCase()]
    const tool = tools[row]
    const token = tokens[column]
    if (step !== undefined) go(step)
    else if (permission !== undefined && tool !== undefined && token !== undefined)
      set(tool, token, () => permission)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div className={classes.matrix}>
      <table ref={grid} {...gridProps}>
        <thead>
          <tr>
            <th scope="col">Tool</th>
            {tokens.map(({ tokenId, name }) => (
              <th key={tokenId} scope="col" className="cut" title={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tools.map((tool, row) => (
            <tr key={tool.name}>
              <th scope="row" title={tool.name}>
                <span className="row">
                  <Method method={tool.method} />
                  <code className="cut">{tool.toolName}</code>
                </span>
              </th>
              {tokens.map((token, column) => (
                <td key={token.tokenId} {...cellProps}>
                  <Cell
                    tool={tool}
                    token={token}
                    place={{ row, column }}
                    isCurrent={row === current.row && column === current.column}
                    onFocus={() => setAt({ row, column })}
                    onKeyDown={event => onKeyDown(event, { row, column })}
                    onPress={() => set(tool, token, nextPermission)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cell(props: {
  readonly tool: AssistantTool
  readonly token: ClientToken
  readonly place: Place
  readonly isCurrent: boolean
  readonly onFocus: () => void
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onPress: () => void
}) {
  const { tool, token, place, isCurrent, onFocus, onKeyDown, onPress } = props
  const allowed = allowedBy(token, tool)
  const word = allowed === null ? 'Not offered' : words[allowed.permission]
  const isFixed = allowed === null || allowed.isFixed
  return (
    <button
      type="button"
      className={classes.cell}
      data-cell={`${place.row} ${place.column}`}
      data-permission={allowed?.permission}
      tabIndex={isCurrent ? 0 : -1}
      aria-label={`${word}: ${tool.toolName}, ${token.name}`}
      aria-disabled={isFixed || undefined}
      title={
        isFixed ? (allowed === null ? 'Not a tool of its connection' : 'The token is read-only') : undefined
      }
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      onClick={onPress}
    >
      {allowed === null ? '–' : word}
    </button>
  )
}
