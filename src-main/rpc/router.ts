import { activity } from './activity.ts'
import { attempts } from './attempts.ts'
import { createBase } from './base.ts'
import { connections } from './connections.ts'
import type { RpcParts } from './context.ts'
import { eventTypes } from './event-types.ts'
import { events } from './events.ts'
import { health } from './health.ts'
import { settings } from './settings.ts'
import { workspaces } from './workspaces.ts'

/** The contract implemented: what the dashboard, REST and the command line call. */
export function createRouter(parts: RpcParts) {
  const os = createBase(parts.logger)
  return os.router({
    workspaces: workspaces(os, parts),
    connections: connections(os, parts),
    eventTypes: eventTypes(os, parts),
    events: events(os, parts),
    attempts: attempts(os, parts),
    settings: settings(os, parts),
    activity: activity(os, parts),
    health: health(os, parts),
  })
}
export type Router = ReturnType<typeof createRouter>
