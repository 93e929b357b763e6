import { Link } from '@tanstack/react-router'

/** What stands above a connection's page. */
export const connectionCrumbs = [
  <Link key="list" to="/connections">
    Custom API
  </Link>,
]
