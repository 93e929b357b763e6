import { Link, useNavigate } from '@tanstack/react-router'
import { ChartGantt } from 'lucide-react'
import { IconButton } from '../../ui/icon-button.tsx'

/** A link to a run, and which of its steps is meant; null for none. And one to the story that it is a part of. */
export function StepLink(props: {
  readonly runId: string
  readonly path: string | null
  /** The id that the story begins with; that of the run if omitted. */
  readonly id?: string
}) {
  const { runId, path, id = runId } = props
  return (
    <>
      <Link className="link mono" to="/workflows/runs" search={{ run: runId }}>
        {runId}
      </Link>
      {path !== null && (
        <>
          , step <code>{path}</code>
        </>
      )}
      {' · '}
      <Link className="link" to="/story/$id" params={{ id }}>
        Show the story
      </Link>
    </>
  )
}

/** Leads to the story of a refused request. Nothing if none is kept. */
export function StoryButton({ id }: { readonly id: string | null }) {
  const navigate = useNavigate()
  if (id === null) return null
  const show = () => void navigate({ to: '/story/$id', params: { id } })
  return <IconButton icon={ChartGantt} label="Show the story of the request" onClick={show} />
}
