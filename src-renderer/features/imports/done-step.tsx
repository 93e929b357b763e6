import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { CircleCheck, Copy, FlaskConical, KeyRound, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Action } from '#shared/model/action.ts'
import { variablesIn } from '#shared/model/action-headers.ts'
import type { ConnectionAuth } from '#shared/model/connection-auth.ts'
import type { ImportIssue, ImportPreview, ImportResult } from '#shared/model/import-preview.ts'
import { api, client } from '../../client/client.ts'
import { copyInboundUrl } from '../../entities/connection/use-secret.ts'
import { focusOnMount } from '../../ui/focus.ts'
import { formatCount } from '../../ui/format.ts'
import { toastProblem } from '../../ui/toasts.tsx'
import classes from './done-step.module.css'
import { doneTitle, entriesDone } from './import-labels.ts'
import { grouped, otherWarnings } from './issues.ts'
import { ActionEntries, EventTypeEntries } from './preview-entries.tsx'
import { Remarks } from './remarks.tsx'

/** The result of an import, and the preview before it. */
export type Done = { readonly result: ImportResult; readonly preview: ImportPreview }

/** Shows what was created, and the next steps. */
export function DoneStep({ done, onClose }: { readonly done: Done; readonly onClose: () => void }) {
  const { result, preview } = done
  const { connectionId, created, warnings } = result
  const navigate = useNavigate()
  const unset = useUnsetVariables(preview)
  const made = connectionsOf(done)
  const toSignIn = made.filter(({ auth }) =>
    variablesIn(auth?.value ?? '').some(name => unset.includes(name)),
  )
  const signIn = [...new Set(toSignIn.flatMap(({ auth }) => variablesIn(auth?.value ?? '')))].filter(name =>
    unset.includes(name),
  )
  const others = unset.filter(name => !signIn.includes(name))
  const entries = entriesDone(preview.details, result)
  const [firstTool] = created.actions
  const isOpen = ({ variable }: ImportIssue) => variable === undefined || unset.includes(variable)
  // Unlike the preview, this step has no list of variables, so their warnings are shown too.
  const remarks = grouped(
    otherWarnings({ details: { ...preview.details, environmentVariables: [] } }, warnings).filter(isOpen),
  )

  async function testAction() {
    try {
      const actions = await client.actions.list({ connectionId })
      const action = firstToTest(actions.filter(({ toolName }) => created.actions.includes(toolName)))
      onClose()
      await navigate({
        to: '/connections/$connectionId/actions',
        params: { connectionId },
        search: action === undefined ? {} : { action: action.actionId, panel: 'test' },
      })
    } catch (error) {
      toastProblem('The action was not opened', error)
    }
  }
  function setVariables() {
    onClose()
    void navigate({ to: '/settings/$section', params: { section: 'environment' } })
  }

  function setUpSignIn() {
    onClose()
    const id = toSignIn[0]?.connectionId ?? connectionId
    void navigate({ to: '/connections/$connectionId/sign-in', params: { connectionId: id } })
  }

  return (
    <section className={classes.done} aria-label="Done" tabIndex={-1} ref={focusOnMount}>
      <div className={classes.next}>
        <div className={classes.title}>
          <CircleCheck size={20} className="ok" />
          <h3 className="h2">{doneTitle(result, preview.connection)}</h3>
        </div>
        <p className="sm t2">
          {made.length > 1
            ? 'Each has its own inbound URL and signing secret. You find them on its page.'
            : preview.connection?.connectionId === null
              ? 'Its inbound URL and signing secret work at once. You find them on its page.'
              : 'Its inbound URL and signing secret are the same as before.'}
        </p>
        {made.length > 1 && (
          <ul className={classes.made} aria-label="Connections">
            {made.map(one => (
              <li key={one.connectionId} className="row">
                <Link
                  to="/connections/$connectionId"
                  params={{ connectionId: one.connectionId }}
                  onClick={onClose}
                  className={`link cut w5 ${classes.madeName}`}
                >
                  {one.name}
                </Link>
                <code className={`cut t2 ${classes.madeUrl}`} title={one.url}>
                  {one.url}
                </code>
              </li>
            ))}
          </ul>
        )}
        <ul className={classes.acts}>
          <Act
            icon={Copy}
            title="Receive events"
            text={`Give the inbound URL${made.length > 1 ? ` of ${made[0]?.name}` : ''} to the system that sends them.`}
          >
            <Button onClick={() => copyInboundUrl(connectionId)}>Copy inbound URL</Button>
          </Act>
          {signIn.length > 0 && (
            <Act
              icon={KeyRound}
              title="Sign-in is not set up"
              text={
                signIn.length === 1
                  ? `No action can be called until ${signIn[0]} is set, or made by OAuth 2 or of a password.`
                  : `Actions cannot be called until ${signIn.join(', ')} are set, or made by OAuth 2 or of passwords.`
              }
            >
              <Button onClick={setUpSignIn}>Set up sign-in</Button>
            </Act>
          )}
          {others.length > 0 && (
            <Act
              icon={KeyRound}
              title={`${formatCount(others.length, 'variable')} not set`}
              text={`Actions that use ${others.join(', ')} cannot be called until you set them.`}
            >
              <Button onClick={setVariables}>Set missing variables</Button>
            </Act>
          )}
          {firstTool !== undefined && (
            <Act icon={FlaskConical} title="Make a call" text="See the system’s response and its timing.">
              <Button onClick={() => void testAction()}>Test an action</Button>
            </Act>
          )}
        </ul>
        {remarks.length > 0 && (
          <div className={classes.warnings}>
            <h4 className="sm w5">{formatCount(remarks.length, 'warning')}</h4>
            <Remarks remarks={remarks} />
          </div>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <section className={classes.lists} aria-label="Entries" tabIndex={0} data-scroller>
        <ActionEntries entries={entries.actions} leftOut={preview.unsupported} what="created" />
        <EventTypeEntries entries={entries.eventTypes} what="created" />
      </section>
    </section>
  )
}

type Made = {
  readonly connectionId: string
  readonly name: string
  readonly url: string
  readonly auth: ConnectionAuth | null
}

/** Returns the connections of an import. */
function connectionsOf({ result: { connectionIds }, preview: { servers, connection } }: Done): Made[] {
  const chosen = servers.filter(one => one.chosen)
  return connectionIds.map((connectionId, index) => {
    const server = chosen[index]
    if (connectionIds.length > 1 && server !== undefined) return { ...server, connectionId }
    const { name = '', baseUrl: url = null, auth = null } = connection ?? {}
    return { connectionId, name, url: url ?? '', auth }
  })
}

/** Returns the action to test first: an enabled GET if there is one, because it only reads. */
function firstToTest(actions: readonly Action[]): Action | undefined {
  const enabled = actions.filter(({ isEnabled }) => isEnabled)
  return enabled.find(({ method }) => method === 'GET') ?? enabled[0] ?? actions[0]
}

/** Returns the variables of the import that are not set. */
function useUnsetVariables({ details }: ImportPreview): readonly string[] {
  const { data = [] } = useQuery(api.environment.list.queryOptions())
  const named = new Set(details.environmentVariables.map(({ name }) => name))
  return data.filter(({ name, sources }) => named.has(name) && sources.length === 0).map(({ name }) => name)
}

function Act(props: {
  readonly icon: LucideIcon
  readonly title: string
  readonly text: string
  readonly children: ReactNode
}) {
  const { icon: Icon, title, text, children } = props
  return (
    <li className={classes.act}>
      <Icon size={16} className="t3" />
      <div className="col grow">
        <span className="w5">{title}</span>
        <span className="sm t2">{text}</span>
      </div>
      {children}
    </li>
  )
}
