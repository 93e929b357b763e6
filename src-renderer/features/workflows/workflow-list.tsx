import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Body, Top, useTitle } from '../../ui/page.tsx'
import { useWorkflows } from './use-workflows.ts'

/** The workflows of the workspace. */
export function WorkflowList() {
  useTitle('Workflows')
  const { data = [] } = useWorkflows()
  return (
    <>
      <Top
        title="Workflows"
        actions={
          <Link to="/workflows/new" className="row">
            <Plus size={14} />
            New workflow
          </Link>
        }
      />
      <Body>
        {data.map(({ workflowId, name }) => (
          <Link key={workflowId} to="/workflows/$workflowId" params={{ workflowId }}>
            {name}
          </Link>
        ))}
      </Body>
    </>
  )
}
