import { actions } from './actions.ts'
import { activity } from './activity.ts'
import { alerts } from './alerts.ts'
import { assistant } from './assistant.ts'
import { attempts } from './attempts.ts'
import { backups } from './backups.ts'
import { calls } from './calls.ts'
import { cases } from './cases.ts'
import { connections } from './connections.ts'
import { conversations } from './conversations.ts'
import { environment } from './environment.ts'
import { eventTypes } from './event-types.ts'
import { events } from './events.ts'
import { health } from './health.ts'
import { imports } from './imports.ts'
import { live } from './live.ts'
import { metrics } from './metrics.ts'
import { platform } from './platform.ts'
import { runs } from './runs.ts'
import { samples } from './samples.ts'
import { service } from './service.ts'
import { settings } from './settings.ts'
import { statistics } from './statistics.ts'
import { tools } from './tools.ts'
import { workflows } from './workflows.ts'
import { workspaces } from './workspaces.ts'

/** Written, because inferred its declaration has 2 MB, which the compiler reads for every other project. */
export type Contract = {
  workspaces: typeof workspaces
  connections: typeof connections
  actions: typeof actions
  cases: typeof cases
  calls: typeof calls
  tools: typeof tools
  assistant: typeof assistant
  conversations: typeof conversations
  environment: typeof environment
  eventTypes: typeof eventTypes
  imports: typeof imports
  samples: typeof samples
  workflows: typeof workflows
  runs: typeof runs
  platform: typeof platform
  events: typeof events
  attempts: typeof attempts
  settings: typeof settings
  alerts: typeof alerts
  metrics: typeof metrics
  backups: typeof backups
  activity: typeof activity
  statistics: typeof statistics
  live: typeof live
  service: typeof service
  health: typeof health
}

/** The procedures of the service, for the dashboard, REST and the command line. */
export const contract: Contract = {
  workspaces,
  connections,
  actions,
  cases,
  calls,
  tools,
  assistant,
  conversations,
  environment,
  eventTypes,
  imports,
  samples,
  workflows,
  runs,
  platform,
  events,
  attempts,
  settings,
  alerts,
  metrics,
  backups,
  activity,
  statistics,
  live,
  service,
  health,
}
