import { Link } from '@tanstack/react-router'

/** A link to a run, and which of its steps is meant; null for none. */
export function StepLink({ runId, path }: { readonly runId: string; readonly path: string | null }) {
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
    </>
  )
}
