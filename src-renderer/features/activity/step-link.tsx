import { Link } from '@tanstack/react-router'

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
