import type { Router as RouterOf } from '@orpc/server'
import type { Contract } from '#shared/contract/index.ts'
import { actions } from './actions.ts'
import { activity } from './activity.ts'
import { assistant } from './assistant.ts'
import { attempts } from './attempts.ts'
import { createBase } from './base.ts'
import { calls } from './calls.ts'
import { connections } from './connections.ts'
import type { CallContext, RpcParts } from './context.ts'
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

/** The implemented contract, for the dashboard, REST and the command line. */
export type Router = RouterOf<Contract, CallContext>

export function createRouter(parts: RpcParts): Router {
  const os = createBase(parts.logger)
  return os.router({
    workspaces: workspaces(os, parts),
    connections: connections(os, parts),
    actions: actions(os, parts),
    calls: calls(os, parts),
    tools: tools(os, parts),
    assistant: assistant(os, parts),
    conversations: conversations(os, parts),
    environment: environment(os, parts),
    eventTypes: eventTypes(os, parts),
    imports: imports(os, parts),
    samples: samples(os, parts),
    workflows: workflows(os, parts),
    runs: runs(os, parts),
    platform: platform(os, parts),
    events: events(os, parts),
    attempts: attempts(os, parts),
    settings: settings(os, parts),
    activity: activity(os, parts),
    statistics: statistics(os, parts),
    live: live(os, parts),
    service: service(os, parts),
    health: health(os, parts),
  })
}
