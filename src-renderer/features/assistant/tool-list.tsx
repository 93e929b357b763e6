import { Button, Menu, Skeleton, Tooltip } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronDown, TriangleAlert } from 'lucide-react'
import { type RefObject, useMemo, useState } from 'react'
import type { AssistantTool, ClientToken } from '#shared/model/assistant.ts'
import type { Permission } from '#shared/model/permission.ts'
import { useFirstPages } from '../../client/use-first-pages.ts'
import { warningLabels } from '../../entities/action/warning-labels.ts'
import { ToolListingChoice } from '../../entities/tool/tool-listing-choice.tsx'
import { Method, Unknown } from '../../ui/badges.tsx'
import { cssVariables } from '../../ui/css-variables.ts'
import { Delayed } from '../../ui/delayed.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount } from '../../ui/format.ts'
import { Keys } from '../../ui/keys.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { useWriting } from '../../ui/read-only.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { copyToolName, ToolName } from '../../ui/tool-name.tsx'
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx'
import page from './assistant.module.css'
import { allowedBy, nextPermission } from './permissions.ts'
import classes from './tool-list.module.css'
import { ToolTotal } from './tool-total.tsx'
import { TrySearch } from './try-search.tsx'
import { firstTools, toolsIn, useAssistantTools } from './use-assistant.ts'
import { useSetPermission, useUpdateToken } from './use-client-tokens.ts'

const keyOf = ({ name }: AssistantTool) => name
/** In pixels. */
const rowHeight = 52

/**
 * Lists the tools under the exact names that a model sees, with the tokens that each adds to a conversation, and with what
 * one of the client tokens may do with each.
 */
export function ToolList(props: {
  /** Only the tools of this connection, which have no prefix; null for all. */
  readonly connectionId: string | null
  readonly tokens: readonly ClientToken[]
  /** The token whose permissions are shown; null if there is none. */
  readonly token: ClientToken | null
  readonly onToken: (tokenId: string) => void
  readonly list: RefObject<VirtualListHandle | null>
  readonly input: RefObject<HTMLInputElement | null>
}) {
  const { connectionId, token, list, input } = props
  const query = useAssistantTools(connectionId)
  const navigate = useNavigate()
  const [filter, setFilter] = useState('')
  const [isNarrowed, setIsNarrowed] = useState(false)
  const [selected, setSelected] = useState<string | null>(null)
  const isSearching = filter.trim() !== '' || isNarrowed
  const { items: offered, loadMore } = useFirstPages(
    query,
    toolsIn,
    // What is searched for may be on any page.
    isSearching ? Number.POSITIVE_INFINITY : firstTools,
  )
  const shown = useMemo(() => {
    const wanted = filter.trim().toLowerCase()
    return offered?.filter(
      ({ name, warnings }) => name.toLowerCase().includes(wanted) && (!isNarrowed || warnings.length > 0),
    )
  }, [offered, filter, isNarrowed])
  const most = Math.max(1, ...(offered ?? []).map(({ tokens }) => tokens ?? 0))
  const chosen = shown?.find(({ name }) => name === selected)
  const nameOf = ({ name, toolName }: AssistantTool) => (connectionId === null ? name : toolName)
  useShortcut(
    { keys: 'y', label: 'Copy the name of the tool', group: 'Connect' },
    () => chosen !== undefined && copyToolName(nameOf(chosen)),
    chosen !== undefined,
  )
  const setPermission = useSetPermission()
  const update = useUpdateToken()
  function permit(tool: AssistantTool, to: (before: Permission) => Permission): void {
    const allowed = token && allowedBy(token, tool)
    if (token === null || allowed === null || allowed.isFixed) return
    setPermission({ tokenId: token.tokenId, tool, permission: to(allowed.permission) })
  }
  const isPermittable = chosen !== undefined && token !== null
  const permitChosen = (permission: Permission) => chosen !== undefined && permit(chosen, () => permission)
  useShortcut(
    { keys: 'r', label: 'Let the client run the tool', group: 'Connect' },
    () => permitChosen('run'),
    isPermittable,
  )
  useShortcut(
    { keys: 'a', label: 'Ask before each call of the tool', group: 'Connect' },
    () => permitChosen('ask'),
    isPermittable,
  )
  useShortcut(
    { keys: 'x', label: 'Refuse the tool', group: 'Connect' },
    () => permitChosen('refuse'),
    isPermittable,
  )
  const open = ({ connectionId, actionId }: AssistantTool) =>
    void navigate({
      to: '/connections/$connectionId/actions',
      params: { connectionId },
      search: { action: actionId, panel: 'assistant' },
    })
  return (
    <section className={classes.tools} aria-label="Tools it sees">
      <div className={classes.toolBar}>
        <h2 className="h2">Tools it sees</h2>
        <SearchField
          ref={input}
          value={filter}
          onChange={setFilter}
          label="Filter tools"
          placeholder="Filter"
          does="Filter the tools"
          group="Connect"
          list={list}
          className={classes.toolFilter}
        />
      </div>
      {offered === undefined || shown === undefined ? (
        <QueryState query={query} failed="The tools could not be read" waiting={<ToolListSkeleton />} />
      ) : offered.length === 0 ? (
        <NoTools />
      ) : (
        <>
          <ToolTotal
            tools={token === null ? offered : offered.filter(tool => isOffered(token, tool))}
            connectionId={connectionId}
            isCut={query.hasNextPage}
            // What a token is refused is not among its tools.
            all={token === null ? (query.data?.pages.at(-1)?.totalTokens ?? null) : null}
            onDemand={token?.tools === 'on demand' ? (query.data?.pages[0]?.onDemandTokens ?? null) : null}
            isNarrowed={isNarrowed}
            onNarrow={setIsNarrowed}
          />
          {token !== null && (
            <>
              <TokenChooser tokens={props.tokens} token={token} onToken={props.onToken} />
              <div className={classes.listing}>
                <ToolListingChoice
                  label={`Tools of: ${token.name}`}
                  listing={token.tools}
                  connectionId={token.connectionId ?? connectionId}
                  onChange={tools => update({ tokenId: token.tokenId, tools })}
                />
              </div>
              {token.tools === 'on demand' && <TrySearch key={token.tokenId} token={token} />}
            </>
          )}
          {shown.length === 0 ? (
            <EmptyState
              title="No tool matches"
              actions={
                <Button
                  onClick={() => {
                    setFilter('')
                    setIsNarrowed(false)
                  }}
                >
                  Show all tools
                </Button>
              }
            />
          ) : (
            <div className="fill">
              <VirtualList
                ref={list}
                label="Tools"
                items={shown}
                rowHeight={rowHeight}
                getKey={keyOf}
                selectedKey={selected}
                onSelect={({ name }) => setSelected(name)}
                onActivate={open}
                onEndReached={loadMore}
                hasControls
                renderRow={tool => (
                  <ToolRow
                    tool={tool}
                    name={nameOf(tool)}
                    share={(tool.tokens ?? 0) / most}
                    token={token}
                    onOpen={() => open(tool)}
                    onPermit={() => permit(tool, nextPermission)}
                  />
                )}
              />
            </div>
          )}
        </>
      )}
    </section>
  )
}

/** Returns whether a client with the token gets the tool. */
function isOffered(token: ClientToken, tool: AssistantTool): boolean {
  const allowed = allowedBy(token, tool)
  return allowed !== null && allowed.permission !== 'refuse'
}

/** Chooses the token whose permissions the table shows. */
function TokenChooser(props: {
  readonly tokens: readonly ClientToken[]
  readonly token: ClientToken
  readonly onToken: (tokenId: string) => void
}) {
  const { tokens, token, onToken } = props
  return (
    <div className={classes.permits}>
      <span className="sm t2 nowrap">What</span>
      <Menu position="bottom-start">
        <Menu.Target>
          <Button
            size="xs"
            aria-label={`Permissions of: ${token.name}`}
            rightSection={<ChevronDown size={12} />}
          >
            <span className={`cut ${classes.tokenName}`}>{token.name}</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown className={page.menu}>
          <Menu.RadioGroup value={token.tokenId} onChange={onToken}>
            {tokens.map(({ tokenId, name }) => (
              <Menu.RadioItem key={tokenId} value={tokenId} closeMenuOnClick>
                {name}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </Menu.Dropdown>
      </Menu>
      <span className="sm t2 nowrap">may call</span>
      <span className="xs t3 push nowrap">
        <Keys keys="r" /> runs <Keys keys="a" /> asks <Keys keys="x" /> refused
      </span>
    </div>
  )
}

function ToolRow(props: {
  readonly tool: AssistantTool
  /** The name that an assistant calls at the chosen address. */
  readonly name: string
  /** Its tokens, as a share of those of the longest tool. */
  readonly share: number
  readonly token: ClientToken | null
  readonly onOpen: () => void
  readonly onPermit: () => void
}) {
  const { tool, name, share, token, onOpen, onPermit } = props
  const { method, annotations, tokens, warnings } = tool
  const hint = annotations.readOnly ? 'Read-only' : annotations.destructive ? 'Destructive' : null
  return (
    // The list handles the keyboard: Enter opens a row like a click.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div className={classes.tool} onClick={onOpen}>
      <Method method={method} />
      <div className={classes.about}>
        <ToolName name={name} hasCopy />
        <span className={classes.facts}>
          <span
            className={classes.share}
            style={cssVariables({ '--share': `${share * 100}%` })}
            aria-hidden="true"
          />
          <span className="num">
            {tokens === null ? <Unknown /> : formatCount(tokens, 'token')}
            {hint !== null && ` · ${hint}`}
          </span>
          {warnings.length > 0 && <Warnings warnings={warnings} />}
          {token !== null && <PermissionCell tool={tool} token={token} name={name} onPress={onPermit} />}
        </span>
      </div>
    </div>
  )
}

const words: Readonly<Record<Permission, string>> = { run: 'Runs', ask: 'Asks', refuse: 'Refused' }

function PermissionCell(props: {
  readonly tool: AssistantTool
  readonly token: ClientToken
  readonly name: string
  readonly onPress: () => void
}) {
  const { tool, token, name, onPress } = props
  const allowed = allowedBy(token, tool)
  const word = allowed === null ? 'Not offered' : words[allowed.permission]
  const isFixed = allowed === null || allowed.isFixed
  const writing = useWriting()
  return (
    <button
      type="button"
      className={classes.permission}
      data-permission={allowed?.permission}
      aria-label={`${word}: ${name}, ${token.name}`}
      aria-disabled={isFixed || undefined}
      title={
        isFixed ? (allowed === null ? 'Not a tool of its connection' : 'The token is read-only') : undefined
      }
      onClick={event => {
        // Does not open the row.
        event.stopPropagation()
        onPress()
      }}
      {...(!isFixed && writing)}
    >
      {word}
    </button>
  )
}

function Warnings({ warnings }: Pick<AssistantTool, 'warnings'>) {
  const words = warnings.map(warning => warningLabels(warning).problem).join('. ')
  return (
    <Tooltip label={words} multiline maw={300}>
      <span className={`warn ${classes.warned}`}>
        <TriangleAlert size={14} />
        <span className="sr">{words}</span>
      </span>
    </Tooltip>
  )
}

function NoTools() {
  return (
    <EmptyState
      title="No tools yet"
      actions={
        <Button component={Link} to="/connections">
          Show connections
        </Button>
      }
    >
      Every enabled action of an enabled connection with a base URL appears here, under the name that a model
      sees.
    </EmptyState>
  )
}

function ToolListSkeleton() {
  return (
    <Delayed>
      <div role="status" aria-label="Loading tools">
        {[140, 110, 160, 120, 150, 90].map(width => (
          <div key={width} className={classes.tool}>
            <Skeleton width={50} height={18} />
            <Skeleton width={width} height={10} />
          </div>
        ))}
      </div>
    </Delayed>
  )
}
