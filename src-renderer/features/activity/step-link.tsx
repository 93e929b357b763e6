import { Link } from '@tanstack/react-router'

/** A link to a run, and which of its steps is meant. */
export function StepLink({ runId, path }: { readonly runId: string; readonly path: string }) {
  return (
    <>
      <Link className="link mono" to="/workflows/runs" search={{ run: runId }}>
        {runId}
      </Link>
      , step <code>{path}</code>
    </>
  )
}
