import { Link } from '@tanstack/react-router'
import { Top, useTitle } from '../../ui/page.tsx'

/** The runs of the workflows. */
export function RunsPage() {
  useTitle('Runs')
  return (
    <Top
      crumbs={[
        <Link key="workflows" to="/workflows">
          Workflows
        </Link>,
      ]}
      title="Runs"
    />
  )
}
