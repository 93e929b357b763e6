import type { z } from 'zod'
import type { Action } from '#shared/model/action.ts'
import type { ConnectionData } from '#shared/model/connection.ts'
import type { EventType } from '#shared/model/event-type.ts'
import type { ListenerAddress } from '#shared/model/service.ts'
import type { Settings } from '#shared/model/settings.ts'
import type { Workspace } from '#shared/model/workspace.ts'

/** A declared event type as it is kept; its variables are derived when it is read. */
export type EventTypeRecord = Readonly<Omit<EventType, 'variables'>>

/** An action as it is kept. */
export type ActionRecord = Readonly<Action>

/** A replaced signing secret, accepted until `expiresAt`, in ms since 1970. */
export type OldSecret = { readonly secret: string; readonly expiresAt: number }

/** A connection as it is kept, credentials included, in plain text: in memory only, sealed on disk. */
export type ConnectionRecord = Readonly<z.infer<typeof ConnectionData>> & {
  readonly connectionId: string
  readonly workspaceId: string
  /** Made from the name at creation and never changed: part of the assistant's tool names. */
  readonly slug: string
  readonly inboundToken: string
  readonly signingSecret: string
  /** Secrets that rotations have replaced, the latest first: those in their grace period, and some that are not. */
  readonly oldSecrets: readonly OldSecret[]
  readonly actions: readonly ActionRecord[]
  readonly eventTypes: readonly EventTypeRecord[]
  readonly createdAt: string
  readonly updatedAt: string
}

/** A connection that was deleted a moment ago and can still be restored. */
export type HeldConnection = {
  readonly record: ConnectionRecord
  /** Milliseconds since 1970. */
  readonly deletedAt: number
  /** How many connections were before it. */
  readonly place: number
}

/** The whole configuration. Maps keep the order of creation; a change makes new ones. */
export type Config = {
  readonly settings: Settings
  /** Where the inbound listener was moved to; null while it is where the service was started with. */
  readonly listener: ListenerAddress | null
  /** Variables for `{{NAME}}` in headers: in plain text in memory only, sealed on disk. */
  readonly environment: ReadonlyMap<string, string>
  readonly workspaces: ReadonlyMap<string, Workspace>
  readonly connections: ReadonlyMap<string, ConnectionRecord>
  /** Connections that were deleted a moment ago: for everything else they are gone. */
  readonly held?: ReadonlyMap<string, HeldConnection>
}

/** Returns whether what belongs to a connection is kept: it exists, or can still be restored. */
export function isKept({ connections, held }: Config, connectionId: string): boolean {
  return connections.has(connectionId) || held?.has(connectionId) === true
}

/** Returns the ids of the connections that are kept, those that can still be restored last. */
export function keptConnectionIds({ connections, held }: Config): string[] {
  return [...connections.keys(), ...(held?.keys() ?? [])]
}

/** Returns the ids of the connections that were kept before a change and no longer are. */
export function goneConnectionIds(next: Config, previous: Config): string[] {
  return keptConnectionIds(previous).filter(connectionId => !isKept(next, connectionId))
}
