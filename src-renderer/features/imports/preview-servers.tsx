import { Checkbox } from '@mantine/core'
import type { ImportPreview } from '#shared/model/import-preview.ts'
import type { ImportServer, ServerTarget, ServerTargets } from '#shared/model/import-server.ts'
import { formatCount } from '../../ui/format.ts'
import { SearchSelect } from '../../ui/search-select.tsx'
import classes from './preview-step.module.css'
import { TargetSelect } from './target-select.tsx'

type Asked = {
  readonly preview: Pick<ImportPreview, 'servers'>
  readonly asked: ServerTargets
  readonly onAsk: (asked: ServerTargets) => void
}

/** Returns the servers that operations need. The others are alternatives to the base URL. */
function neededServers({ servers }: Pick<ImportPreview, 'servers'>): ImportServer[] {
  return servers.filter(({ chosen, alternative }, index) => index === 0 || chosen || !alternative)
}

/** Chooses the connection for each of several servers; none leaves its operations out. */
export function PreviewServers(props: Asked & { readonly connectionId: string | null }) {
  const { preview, asked, onAsk, connectionId } = props
  const servers = neededServers(preview)
  if (servers.length < 2) return null
  const targetOf = ({ url, chosen }: ImportServer) => asked[url] ?? chosen
  const taken = servers.filter(one => targetOf(one) !== false).length
  return (
    <section className={classes.part} aria-label="Servers">
      <h3 className={classes.heading}>
        {formatCount(servers.length, 'server')}
        <span className={classes.aside}>one connection for each</span>
      </h3>
      <ul>
        {servers.map((server, index) => (
          <ServerRow
            key={server.url}
            server={server}
            target={targetOf(server)}
            into={index === 0 ? connectionId : null}
            // An import takes at least one server, and the one of the connection that it goes into.
            isFixed={targetOf(server) !== false && (taken === 1 || (index === 0 && connectionId !== null))}
            onTarget={target => onAsk({ ...asked, [server.url]: target })}
          />
        ))}
      </ul>
    </section>
  )
}

function ServerRow(props: {
  readonly server: ImportServer
  readonly target: ServerTarget
  /** The connection that was chosen for the whole import. */
  readonly into: string | null
  readonly isFixed: boolean
  readonly onTarget: (target: ServerTarget) => void
}) {
  const { server, target, into, isFixed, onTarget } = props
  const { url, operations, name } = server
  return (
    <li className={classes.server} data-left={target === false || undefined}>
      <Checkbox
        size="xs"
        aria-label={`Import from ${url}`}
        checked={target !== false}
        disabled={isFixed}
        onChange={event => onTarget(event.currentTarget.checked)}
      />
      <div className={`col ${classes.serverText}`}>
        <code className={`cut ${classes.serverUrl}`} title={url}>
          {url}
        </code>
        <span className="sm t2 cut" title={name}>
          {target === false ? 'Not imported' : name}
        </span>
      </div>
      <span className="sm t2 num nowrap">{formatCount(operations, 'operation')}</span>
      {target !== false && into === null && (
        <TargetSelect
          label={`Connection for ${url}`}
          size="xs"
          connectionId={typeof target === 'string' ? target : null}
          onChange={id => onTarget(id ?? true)}
        />
      )}
    </li>
  )
}

/** Chooses the base URL if the document offers several; shows it otherwise. */
export function BaseUrlChoice({
  preview,
  asked,
  onAsk,
  baseUrl,
}: Asked & { readonly baseUrl: string | null }) {
  const [base] = preview.servers
  const alternatives = preview.servers.filter(({ alternative }) => alternative)
  if (base === undefined || alternatives.length < 2 || base.url !== baseUrl)
    return <span className={baseUrl === null ? 't2' : 'mono'}>{baseUrl ?? 'None'}</span>
  return (
    <SearchSelect
      aria-label="Base URL"
      size="xs"
      maw={360}
      data={alternatives.map(({ url }) => url).sort()}
      value={base.url}
      onChange={url => {
        const others = Object.entries(asked).filter(([one]) => alternatives.every(other => other.url !== one))
        if (url !== null) onAsk({ ...Object.fromEntries(others), [url]: true })
      }}
    />
  )
}
