import { clockDetails } from '#main/alerts/kinds/clock.ts'
import { payloadDetails } from '#main/alerts/kinds/payload.ts'
import { comparedNow, workflowsReading } from '#main/alerts/payloads.ts'
import { hoursOfSuggestion, suggestedSilence } from '#main/alerts/suggested-silence.ts'
import { findConnection, withConnection } from '#main/connections/connections.ts'
import { findWorkspace } from '#main/connections/workspaces.ts'
import { hourOf } from '#main/history/statistics/hour-table.ts'
import { definedFields } from '#main/lib/defined-fields.ts'
import { nextVersion, timeAfter } from '#main/lib/next-version.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import {
  ConnectionThresholds,
  ConnectionWatch,
  connectionThresholds,
  ServiceWatch,
  type WatchedConnection,
} from '#shared/model/alert.ts'
import { type Handlers, nowOf, type RpcParts, requireVersion } from './context.ts'

export function alerts(parts: RpcParts): Handlers['alerts'] {
  const { store, statistics, hourlyCounts, clock } = parts

  /** Reads two weeks of hour counts for it. */
  async function suggestedHours(connectionId: string): Promise<number | null> {
    const until = hourOf(clock()) + 1
    const counts = await hourlyCounts.read(connectionId, { from: until - hoursOfSuggestion, until })
    const busy = [...counts].filter(([, { accepted, repeated }]) => accepted + repeated > 0)
    return suggestedSilence(busy.map(([hour]) => hour))
  }

  async function watchOf(record: ConnectionRecord): Promise<ConnectionWatch> {
    const { connectionId, ...watched } = watchedOf(record)
    const silent = { ...watched.silent, suggestedHours: await suggestedHours(connectionId) }
    return { ...watched, silent }
  }

  function watchedOf(record: ConnectionRecord): WatchedConnection {
    const { connectionId, updatedAt } = record
    const thresholds = record.watch ?? connectionThresholds
    const { lastEventAt, recent, measured } = statistics.watched(connectionId)
    const { accepted, refused, calls, callsFailed } = recent
    const payloads = comparedNow(record, measured).map(compared => ({
      eventName: compared.eventName,
      ...payloadDetails(
        compared,
        record.persistEvents,
        workflowsReading(store.snapshot(), connectionId, compared),
      ),
    }))
    return {
      connectionId,
      ...thresholds,
      now: {
        silentForMs: lastEventAt === 0 ? null : Math.max(0, clock() - lastEventAt),
        refusedPercent: percentOf(refused, accepted + refused),
        callsFailingPercent: percentOf(callsFailed, calls),
        lastHour: { requests: accepted + refused, refused, calls, callsFailed },
        clock: clockDetails(measured.offsetsMs),
        payloads: payloads.length === 0 ? null : payloads,
      },
      updatedAt,
    }
  }

  return {
    list({ input }) {
      const config = store.snapshot()
      if (input.workspaceId !== undefined) findWorkspace(config, input.workspaceId)
      if (input.connectionId !== undefined) findConnection(config, input.connectionId)
      return parts.alerts.list(input)
    },
    get: ({ input }) => parts.alerts.get(input.alertId),
    mute: ({ input }) => parts.alerts.mute(input.alertId, input.hours),
    unmute: ({ input }) => parts.alerts.unmute(input.alertId),
    connectionWatch: ({ input }) => watchOf(findConnection(store.snapshot(), input.connectionId)),
    async changeConnectionWatch({ input: { connectionId, ifUpdatedAt, ...change } }) {
      // Only an edit of a known version is shown what has changed meanwhile.
      const shown =
        ifUpdatedAt === undefined ? null : await watchOf(findConnection(store.snapshot(), connectionId))
      const record = await store.update(config => {
        const before = findConnection(config, connectionId)
        requireVersion(before, ifUpdatedAt, ConnectionWatch, ({ updatedAt }) => ({ ...shown, updatedAt }))
        const watch = ConnectionThresholds.parse(merged(before.watch ?? connectionThresholds, change))
        const next = nextVersion(before, { watch }, nowOf(parts))
        return { next: withConnection(config, next), result: next }
      })
      return watchOf(record)
    },
    watchedConnections({ input: { connectionIds } }) {
      const { connections } = store.snapshot()
      return [...new Set(connectionIds)].flatMap(connectionId => {
        const record = connections.get(connectionId)
        return record === undefined ? [] : [watchedOf(record)]
      })
    },
    watch: () => store.snapshot().settings.watch,
    changeWatch: ({ input }) =>
      store.update(config => {
        const { settings } = config
        const watch = ServiceWatch.parse(merged(settings.watch, input))
        const updatedAt = timeAfter(settings.updatedAt, nowOf(parts))
        return { next: { ...config, settings: { ...settings, watch, updatedAt } }, result: watch }
      }),
  }
}

/** Returns thresholds with a change of some of their fields. */
function merged(
  before: Readonly<Record<string, object>>,
  change: Readonly<Record<string, object | undefined>>,
) {
  return Object.fromEntries(
    Object.entries(before).map(([name, fields]) => [
      name,
      { ...fields, ...definedFields(change[name] ?? {}) },
    ]),
  )
}

/** Returns null for a share of nothing. */
const percentOf = (part: number, whole: number) =>
  whole === 0 ? null : Math.round((part * 1000) / whole) / 10
