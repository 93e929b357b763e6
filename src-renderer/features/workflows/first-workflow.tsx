import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  ArrowUpRight,
  Bell,
  Braces,
  GitBranch,
  Globe,
  type LucideIcon,
  Plus,
  ShieldCheck,
  Zap,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useConnectionFigures, useConnections } from '../../entities/connection/use-connections.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { Method, Variable } from '../../ui/badges.tsx'
import { wantNext } from '../../ui/focus.ts'
import { formatCount } from '../../ui/format.ts'
import { KeyButton } from '../../ui/keys.tsx'
import { Body, Foot } from '../../ui/page.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import classes from './first-workflow.module.css'
import { type Starter, type StarterLine, type StarterSource, startersOf } from './starters.ts'

const group = 'Workflows'

/** The number of the newest connections from which starters are made. */
const maxSources = 10

/** Explains workflows to a new user, with three to begin with. */
export function FirstWorkflow() {
  const navigate = useNavigate()
  const figures = useConnectionFigures()
  const { starters, use, usedTitle } = useStarters()
  return (
    <>
      <Body>
        <div className={classes.wrap}>
          <h2>No workflows yet</h2>
          <p className={classes.lead}>
            A workflow waits for an event from one of your connections and runs steps: call an action, send a
            request, branch, notify. A step that cannot reach its host is tried again for about an hour.
          </p>
          <div className={classes.starters}>
            {starters.map((starter, index) => (
              <StarterCard
                key={starter.title}
                starter={starter}
                keys={String(index + 1)}
                isFirst={index === 0}
                isBusy={usedTitle === starter.title}
                isDisabled={usedTitle !== null}
                onUse={() => use(starter)}
              />
            ))}
          </div>
          <div className={classes.nothing}>
            <KeyButton icon={Plus} keys="n" onClick={() => void navigate({ to: '/workflows/new' })}>
              Start from nothing
            </KeyButton>
            {starters.length > 0 && (
              <span className="sm t3">
                A starter opens in the builder, switched off, with your newest event to try it on.
                {starters.some(({ needsSample }) => needsSample) &&
                  ' The sample order system is added if a starter needs it.'}
              </span>
            )}
          </div>
        </div>
      </Body>
      <Foot
        hints={{
          ...(starters.length > 0 && { '1 2 3': 'use a starter' }),
          n: 'start from nothing',
          i: 'import',
          '?': 'all shortcuts',
        }}
      >
        {figures && (
          <span className="num">
            {formatCount(figures.total, 'connection')} · {formatCount(figures.eventTypes, 'event type')} to
            start on
          </span>
        )}
      </Foot>
    </>
  )
}

/** Returns the starters for this workspace, and a function that creates the workflow of one and opens it. */
function useStarters() {
  const { workspace } = useWorkspace()
  const { rows: newest } = useConnections('', 'created', maxSources)
  const navigate = useNavigate()
  const declared = useQueries({
    queries: newest.map(({ connectionId }) => api.eventTypes.list.queryOptions({ input: { connectionId } })),
  })
  const actions = useQueries({
    queries: newest.map(({ connectionId }) => api.actions.list.queryOptions({ input: { connectionId } })),
  })
  const { data: service } = useQuery(api.service.get.queryOptions())
  /** A database is shared, and the sample's server is a part of one service. */
  const hasSample = typeof service?.database !== 'string'
  const isKnown = [...declared, ...actions].every(({ isPending }) => !isPending)
  const starters = startersOf(
    isKnown
      ? newest.map((connection, index) => ({
          ...connection,
          eventTypes: declared[index]?.data ?? [],
          actions: actions[index]?.data ?? [],
        }))
      : [],
  ).filter(({ needsSample }) => hasSample || !needsSample)
  const create = useCommand(
    async ({ title, workflow, needsSample }: Starter) => {
      const workspaceId = workspace?.workspaceId
      const made = needsSample
        ? startersOf([await loadSample(workspaceId)]).find(starter => starter.title === title)?.workflow
        : workflow
      return client.workflows.create({ ...(made ?? workflow), workspaceId })
    },
    'The workflow was not created',
    async ({ workflowId }) => {
      wantNext()
      await navigate({ to: '/workflows/$workflowId', params: { workflowId } })
      await queries.invalidateQueries()
    },
  )
  const use = (starter: Starter | undefined) => {
    if (starter !== undefined && isKnown && !create.isPending) create.mutate(starter)
  }
  useShortcut({ keys: '1', label: 'Use the first starter', group }, () => use(starters[0]))
  useShortcut({ keys: '2', label: 'Use the second starter', group }, () => use(starters[1]))
  useShortcut({ keys: '3', label: 'Use the third starter', group }, () => use(starters[2]))
  return { starters, use, usedTitle: create.isPending ? create.variables.title : null }
}

/** Loads the sample into a workspace. @returns it with what it declares. */
async function loadSample(workspaceId: string | undefined): Promise<StarterSource> {
  const { connectionId } = await client.samples.load({ workspaceId })
  const [connection, eventTypes, actions] = await Promise.all([
    client.connections.get({ connectionId }),
    client.eventTypes.list({ connectionId }),
    client.actions.list({ connectionId }),
  ])
  return { ...connection, eventTypes, actions }
}

function StarterCard(props: {
  readonly starter: Starter
  readonly keys: string
  readonly isFirst: boolean
  readonly isBusy: boolean
  readonly isDisabled: boolean
  readonly onUse: () => void
}) {
  const { starter, keys, isFirst, isBusy, isDisabled, onUse } = props
  return (
    <article className={classes.starter} aria-label={starter.title}>
      <h3 className="h3">{starter.title}</h3>
      <p className="sm t2">{starter.text}</p>
      <ol className={classes.lines}>
        {starter.lines.map(line => (
          <li key={line.kind}>
            <Line line={line} />
          </li>
        ))}
      </ol>
      <WriteButton
        variant={isFirst ? 'filled' : 'default'}
        size="md"
        keys={keys}
        loading={isBusy}
        disabled={isDisabled && !isBusy}
        onClick={onUse}
      >
        Use this one
      </WriteButton>
    </article>
  )
}

function Line({ line }: { readonly line: StarterLine }) {
  switch (line.kind) {
    case 'trigger':
      return (
        <WithIcon icon={Zap} isTrigger>
          {line.eventName === null ? 'Any event' : <code>{line.eventName}</code>}
          <span className="t3 cut">{line.connection}</span>
        </WithIcon>
      )
    case 'branch':
      return (
        <WithIcon icon={GitBranch}>
          If <Variable name={line.variable} /> above {line.above}
        </WithIcon>
      )
    case 'notify':
      return (
        <WithIcon icon={Bell}>
          {line.text} <Variable name={line.variable} />
        </WithIcon>
      )
    case 'action':
      return (
        <WithIcon icon={ArrowUpRight}>
          <Method method={line.method} />
          <code className="cut">{line.toolName}</code>
        </WithIcon>
      )
    case 'argument':
      return (
        <WithIcon icon={Braces}>
          {line.name} from <Variable name={line.variable} />
        </WithIcon>
      )
    case 'http':
      return (
        <WithIcon icon={Globe}>
          <Method method={line.method} />
          <span className="t2 cut">your URL</span>
        </WithIcon>
      )
    case 'signed':
      return <WithIcon icon={ShieldCheck}>Signed as your events are</WithIcon>
  }
}

function WithIcon(props: {
  readonly icon: LucideIcon
  readonly isTrigger?: boolean
  readonly children: ReactNode
}) {
  const { icon: Icon, isTrigger, children } = props
  return (
    <>
      <span className={classes.icon} data-accent={isTrigger}>
        <Icon />
      </span>
      <span className={classes.line}>{children}</span>
    </>
  )
}
