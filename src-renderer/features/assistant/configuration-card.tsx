import { Button, Menu, SegmentedControl, Tabs } from '@mantine/core'
import { ChevronDown, Copy, SquareArrowOutUpRight, SquareTerminal } from 'lucide-react'
import type { McpClient } from '#shared/model/assistant.ts'
import { isDesktop } from '../../client/client.ts'
import { useConnectionChoice } from '../../entities/connection/use-connections.ts'
import { RelativeTime } from '../../ui/badges.tsx'
import { ChoiceItems } from '../../ui/choice-items.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { ErrorState } from '../../ui/empty-state.tsx'
import { formatClock, formatCount, formatExact } from '../../ui/format.ts'
import { jsonLines } from '../../ui/json-lines.ts'
import { Dot } from '../../ui/pill.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useNow } from '../../ui/use-now.ts'
import page from './assistant.module.css'
import { describeClient, isConnected } from './client-labels.ts'
import classes from './configuration-card.module.css'
import { kindOfClient, mcpClients } from './configurations.ts'
import { StepHead } from './step-head.tsx'
import { useMcpClients } from './use-assistant.ts'
import { tokenPlaceholder, type useConfiguration } from './use-configuration.ts'

/** Shows the configuration of each MCP client, ready to copy, and whether the client is connected. */
export function ConfigurationCard(props: {
  /** The connection whose tools are offered; null for all of the workspace. */
  readonly connectionId: string | null
  readonly onConnection: (connectionId: string | null) => void
  readonly chosen: ReturnType<typeof useConfiguration>
  /** Whether the configuration contains a token, which is copied but not shown. */
  readonly hasToken: boolean
}) {
  const { connectionId, onConnection, chosen, hasToken } = props
  const { client, label, transport, shown, copied } = chosen
  const clients = useMcpClients().data
  const lacksToken = transport === 'http' && !hasToken
  const isUnlimited = transport === 'stdio' && !hasToken
  const note = isUnlimited
    ? undefined
    : lacksToken
      ? `Replace ${tokenPlaceholder} with a client token.`
      : 'It contains the token, which is a credential.'
  const copy = () => void (copied && copyWithToast(copied.json, 'Configuration', note))
  useShortcut({ keys: 'c', label: 'Copy the configuration', group: 'Connect' }, copy)

  return (
    <section className={page.section} aria-label="Client configuration">
      <StepHead
        number={2}
        title="Copy the configuration"
        isDone={clients?.length !== undefined && clients.length > 0}
      />
      <Tabs
        className={classes.card}
        variant="none"
        value={client}
        onChange={chosen.chooseClient}
        classNames={{ list: classes.clients ?? '', tab: classes.client ?? '' }}
      >
        <Tabs.List aria-label="Client">
          {mcpClients.map(({ id, label }) => (
            <Tabs.Tab
              key={id}
              value={id}
              rightSection={hasConnected(clients, id) ? <Dot tone="ok" /> : undefined}
            >
              {label}
              {hasConnected(clients, id) && <span className="sr">, connected</span>}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={client}>
          <div className={classes.choices}>
            <span className="sm t2 nowrap">Tools from</span>
            <ConnectionChooser connectionId={connectionId} onChange={onConnection} />
            <span className={`sm t2 ${classes.over}`}>over</span>
            <SegmentedControl
              aria-label="Transport"
              value={transport}
              onChange={chosen.chooseTransport}
              data={[
                { value: 'http', label: 'HTTP', disabled: !chosen.hasHttp },
                { value: 'stdio', label: 'stdio' },
              ]}
            />
            <span className="row push">
              {copied?.command != null && (
                <Button
                  size="xs"
                  leftSection={<SquareTerminal />}
                  onClick={() => void copyWithToast(copied.command ?? '', 'Command', note)}
                >
                  Copy command
                </Button>
              )}
              {copied?.installUrl != null && !lacksToken && (
                <Button
                  size="xs"
                  component="a"
                  href={copied.installUrl}
                  // The desktop app opens another program only for a new window.
                  {...(isDesktop && { target: '_blank', rel: 'noreferrer' })}
                  leftSection={<SquareArrowOutUpRight />}
                >
                  Add to {label}
                </Button>
              )}
              <Button size="xs" leftSection={<Copy />} onClick={copy} disabled={copied === null}>
                Copy
              </Button>
            </span>
          </div>
          {chosen.error !== null ? (
            <ErrorState title="The address could not be read" error={chosen.error} onRetry={chosen.retry} />
          ) : (
            <div className={classes.code}>
              <CodeBlock
                label={`Configuration of ${label}`}
                lines={shown === null ? [] : jsonLines(shown.json)}
              />
            </div>
          )}
          {shown?.needs != null && <p className={`sm t2 ${classes.needs}`}>{shown.needs}</p>}
          {isUnlimited && (
            <p className={`sm t2 ${classes.needs}`}>
              Without a token, this client can call every tool without asking.
            </p>
          )}
          <div className={classes.state}>
            <ConnectedState
              label={label}
              clients={clients?.filter(one => kindOfClient(one.name) === client)}
            />
            <span className={`sm t3 ${classes.place}`}>
              Paste into {shown?.file == null ? 'the client’s settings' : <code>{shown.file}</code>}
            </span>
          </div>
        </Tabs.Panel>
      </Tabs>
    </section>
  )
}

const hasConnected = (clients: readonly McpClient[] | undefined, kind: string) =>
  clients?.some(client => kindOfClient(client.name) === kind && isConnected(client)) === true

function ConnectionChooser(props: {
  readonly connectionId: string | null
  readonly onChange: (connectionId: string | null) => void
}) {
  const { connectionId, onChange } = props
  const { rows } = useConnectionChoice(connectionId)
  const all = 'All connections'
  const name = rows.find(row => row.connectionId === connectionId)?.name ?? all
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="xs" aria-label={`Tools from: ${name}`} rightSection={<ChevronDown size={12} />}>
          <span className={`cut ${classes.connection}`}>{name}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={page.menu}>
        <ChoiceItems
          value={connectionId ?? ''}
          onChoose={id => onChange(id === '' ? null : id)}
          options={[
            { value: '', label: all },
            ...rows.map(row => ({ value: row.connectionId, label: row.name })),
          ]}
        />
      </Menu.Dropdown>
    </Menu>
  )
}

/** “VS Code is connected, 12 calls since 14:02”; nothing while unknown. */
function ConnectedState(props: {
  readonly label: string
  readonly clients: readonly McpClient[] | undefined
}) {
  const { label, clients } = props
  const now = useNow()
  if (clients === undefined) return <span />
  const connected = clients.filter(isConnected)
  const [first] = connected.length > 0 ? connected : clients
  if (first === undefined)
    return (
      <span className="row sm t2" role="status">
        <Dot tone="off" />
        {label === 'Other' ? 'No other client is connected' : `${label} is not connected`}
      </span>
    )
  const name = label === 'Other' ? first.name : label
  const earliest = (least: string, { connectedAt }: McpClient) => (connectedAt < least ? connectedAt : least)
  const since = clients.reduce(earliest, first.connectedAt)
  const calls = clients.reduce((sum, client) => sum + client.calls, 0)
  return (
    <span className="row sm" role="status" title={clients.map(describeClient).join('\n')}>
      <Dot tone={connected.length > 0 ? 'ok' : 'off'} live={connected.length > 0} />
      <span className="w5">
        {connected.length > 0 ? (
          `${name} is connected`
        ) : (
          <>
            {name} sent a request <RelativeTime at={first.lastSeenAt} />
          </>
        )}
      </span>
      <span className="t3 num">
        {formatCount(calls, 'call')} since{' '}
        <time dateTime={since} title={formatExact(since)}>
          {formatClock(since, now)}
        </time>
      </span>
    </span>
  )
}
