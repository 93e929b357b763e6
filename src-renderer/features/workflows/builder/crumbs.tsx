import { Link } from '@tanstack/react-router'

/** The breadcrumbs above the name of a workflow. */
export const workflowCrumbs = [
  <Link key="list" to="/workflows">
    Workflows
  </Link>,
]
