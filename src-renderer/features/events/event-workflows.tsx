import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { takes } from '#shared/workflows/takes.ts'
import { useWorkflows } from '../../entities/workflow/use-workflows.ts'
import { Unknown } from '../../ui/badges.tsx'
import classes from './events.module.css'

/** Names the workflows that an event starts, and offers a new one. */
export function EventWorkflows(props: { readonly connectionId: string; readonly eventName: string }) {
  const { connectionId, eventName } = props
  const navigate = useNavigate()
  const { data } = useWorkflows()
  const taking = data?.filter(({ trigger }) => takes(trigger, props))
  return (
    <section aria-label="Workflows">
      <div className={classes.label}>
        Starts these workflows
        <span className="push" />
        <Button
          variant="subtle"
          size="xs"
          leftSection={<Plus />}
          onClick={() => void navigate({ to: '/workflows/new', search: { connectionId, eventName } })}
        >
          Start a workflow
        </Button>
      </div>
      {taking === undefined && <Unknown />}
      {taking?.length === 0 && <p className="sm t3">None yet. Events of this type start nothing.</p>}
      <ul>
        {taking?.map(({ workflowId, name, enabled }) => (
          <li key={workflowId} className="row sm" style={{ minHeight: 24 }}>
            <Link to="/workflows/$workflowId" params={{ workflowId }} className="link cut">
              {name}
            </Link>
            {!enabled && <span className="t3">Disabled</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
