import type { Router as RouterOf } from '@orpc/server'
import type { Contract } from '#shared/contract/index.ts'
import { actions } from './actions.ts'
import { activity } from './activity.ts'
import { alerts } from './alerts.ts'
import { assistant } from './assistant.ts'
import { attempts } from './attempts.ts'
import { backups } from './backups.ts'
import { type Base, createBase } from './base.ts'
import { calls } from './calls.ts'
import { cases } from './cases.ts'
import { connections } from './connections.ts'
import type { CallContext, Handlers, RpcParts } from './context.ts'
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

/** The implemented contract, for the dashboard, REST and the command line. */
export type Router = RouterOf<Contract, CallContext>

export function createRouter(parts: RpcParts): Router {
  return implementAll(createBase(parts.logger), {
    workspaces: workspaces(parts),
    connections: connections(parts),
    actions: actions(parts),
    cases: cases(parts),
    calls: calls(parts),
    tools: tools(parts),
    assistant: assistant(parts),
    conversations: conversations(parts),
    environment: environment(parts),
    eventTypes: eventTypes(parts),
    imports: imports(parts),
    samples: samples(parts),
    workflows: workflows(parts),
    runs: runs(parts),
    platform: platform(parts),
    events: events(parts),
    attempts: attempts(parts),
    settings: settings(parts),
    alerts: alerts(parts),
    metrics: metrics(parts),
    backups: backups(parts),
    activity: activity(parts),
    statistics: statistics(parts),
    live: live(parts),
    service: service(parts),
    health: health(parts),
  })
}

/** Returns the procedures of a contract, each with its handler. */
function implementAll(base: Base, handlers: Handlers): Router
function implementAll(base: object, handlers: object): object {
  const parts = Object.entries(handlers).map(([name, handler]) => {
    const part = Reflect.get(base, name)
    return [name, typeof handler === 'function' ? part.handler(handler) : implementAll(part, handler)]
  })
  return Object.fromEntries(parts)
}
