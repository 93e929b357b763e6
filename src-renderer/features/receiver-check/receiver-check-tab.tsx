import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../client/client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { Method } from '../../ui/badges.tsx'
import { Delayed } from '../../ui/delayed.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { focusIfWanted, wantNext } from '../../ui/focus.ts'
import { KeyButton } from '../../ui/keys.tsx'
import { Body, Foot } from '../../ui/page.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { SearchSelect } from '../../ui/search-select.tsx'
import { ActionCheck } from './action-check.tsx'
import classes from './receiver-check.module.css'
import { useCheckPlace } from './use-check-place.ts'

/** Checks the receiver of an action of the connection. */
export function ReceiverCheckTab() {
  const { connectionId } = useCurrentConnection()
  const navigate = useNavigate()
  const place = useCheckPlace()
  const query = useQuery(api.actions.list.queryOptions({ input: { connectionId } }))
  const actions = query.data
  const action = actions?.find(({ actionId }) => actionId === place.actionId) ?? actions?.[0]
  if (action === undefined || actions === undefined)
    return (
      <>
        <Body>
          {actions === undefined ? (
            <QueryState query={query} failed="The actions could not be read" waiting={<Waiting />} />
          ) : (
            <EmptyState
              title="Nothing to check yet"
              actions={
                <KeyButton
                  variant="filled"
                  keys={false}
                  onClick={() =>
                    void navigate({
                      to: '/connections/$connectionId/actions',
                      params: { connectionId },
                      search: { action: 'new' },
                    })
                  }
                >
                  New action
                </KeyButton>
              }
            >
              A check sends right and wrong calls of an action, and shows which ones your receiver lets
              through. This connection has no action.
            </EmptyState>
          )}
        </Body>
        <Foot hints={{}} />
      </>
    )
  const chooser = (isLabelled: boolean) => (
    // The screen of another action takes the place of this one.
    <div ref={around => focusIfWanted(around?.querySelector('input') ?? null)}>
      <SearchSelect
        {...(isLabelled ? { label: 'Endpoint' } : { 'aria-label': 'Endpoint', size: 'sm' })}
        value={action.actionId}
        data={actions.map(({ actionId, name }) => ({ value: actionId, label: name }))}
        leftSection={<Method method={action.method} />}
        leftSectionWidth={64}
        onChange={value => {
          if (value === null || value === action.actionId) return
          wantNext()
          place.choose(value)
        }}
      />
    </div>
  )
  return <ActionCheck key={action.actionId} action={action} chooser={chooser} />
}

function Waiting() {
  return (
    <Delayed>
      <div className={classes.waiting} role="status" aria-label="Reading the actions">
        <Skeleton height={20} width={220} />
        <Skeleton height={10} width="70%" />
      </div>
    </Delayed>
  )
}
