import { skipToken, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { api } from '../../../client/client.ts'
import { Top, useTitle } from '../../../ui/page.tsx'

/** A workflow, or a new one. */
export function BuilderPage() {
  const { workflowId } = useParams({ strict: false })
  const { data } = useQuery(
    api.workflows.get.queryOptions({ input: workflowId === undefined ? skipToken : { workflowId } }),
  )
  const title = workflowId === undefined ? 'New workflow' : (data?.name ?? 'Workflow')
  useTitle(title)
  return (
    <Top
      crumbs={[
        <Link key="workflows" to="/workflows">
          Workflows
        </Link>,
      ]}
      title={title}
    />
  )
}
