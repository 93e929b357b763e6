import { Button, Skeleton } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { api } from '../../../client/client.ts'
import { useWorkspace } from '../../../entities/workspace/current-workspace.tsx'
import { Delayed } from '../../../ui/delayed.tsx'
import { ErrorState } from '../../../ui/empty-state.tsx'
import { Body, Top } from '../../../ui/page.tsx'
import { problemOf } from '../../../ui/problem.ts'
import classes from './builder.module.css'
import { workflowCrumbs } from './crumbs.tsx'
import { Editor } from './editor.tsx'

/** The page of a workflow, or of a new one. */
export function BuilderPage() {
  const { workflowId } = useParams({ strict: false })
  const { connectionId, eventName, eventId } = useSearch({ strict: false })
  const navigate = useNavigate()
  const { workspace } = useWorkspace()
  const { data, error, refetch } = useQuery(
    api.workflows.get.queryOptions({ input: workflowId === undefined ? skipToken : { workflowId } }),
  )
  // Another link begins another workflow, and what was typed belongs to its workspace.
  if (workflowId === undefined && workspace !== null) {
    const { workspaceId } = workspace
    return <Editor key={[workspaceId, connectionId, eventName, eventId].join()} saved={null} />
  }
  const isGone = error !== null && problemOf(error).code === 'workflow_not_found'
  if (data !== undefined && !isGone) return <Editor key={workflowId} saved={data} />
  return (
    <>
      <Top crumbs={workflowCrumbs} title="Workflow" />
      <Body>
        {error === null ? (
          <Delayed>
            <div className={classes.loading} role="status" aria-label="Loading the workflow">
              <Skeleton height={50} radius="lg" />
              <Skeleton height={50} radius="lg" mt={14} />
              <Skeleton height={50} radius="lg" mt={14} />
            </div>
          </Delayed>
        ) : (
          <ErrorState
            title="This workflow cannot be shown"
            error={error}
            {...(isGone
              ? {
                  actions: (
                    <Button onClick={() => void navigate({ to: '/workflows' })}>Show workflows</Button>
                  ),
                }
              : { onRetry: () => void refetch() })}
          />
        )}
      </Body>
    </>
  )
}
