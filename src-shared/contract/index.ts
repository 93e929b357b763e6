import { actions } from './actions.ts'
import { activity } from './activity.ts'
import { assistant } from './assistant.ts'
import { attempts } from './attempts.ts'
import { calls } from './calls.ts'
import { connections } from './connections.ts'
import { conversations } from './conversations.ts'
import { environment } from './environment.ts'
import { eventTypes } from './event-types.ts'
import { events } from './events.ts'
import { health } from './health.ts'
import { imports } from './imports.ts'
import { live } from './live.ts'
import { platform } from './platform.ts'
import { runs } from './runs.ts'
import { samples } from './samples.ts'
import { service } from './service.ts'
import { settings } from './settings.ts'
import { statistics } from './statistics.ts'
import { tools } from './tools.ts'
import { workflows } from './workflows.ts'
import { workspaces } from './workspaces.ts'

/** The procedures of the service, for the dashboard, REST and the command line. */
export const contract = {
  workspaces,
  connections,
  actions,
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
  activity,
  statistics,
  live,
  service,
  health,
}
export type Contract = typeof contract
