import { listConnections, type PageRequest } from '#main/connections/connection-order.ts'
import type { CallHistory } from '#main/history/calls.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { createTimeSlices } from '#main/lib/time-slices.ts'
import type { ActionRecord, Config, ConnectionRecord } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { AssistantTools } from '#shared/model/assistant.ts'
import type { Tool } from '#shared/model/tool.ts'
import {
  createLookAlikes,
  type Tellable,
  type ToolWarning,
  toolWarnings,
} from '#shared/model/tool-warning.ts'
import { onDemandTools } from './on-demand.ts'
import type { TokenCounter } from './token-counter.ts'
import { type CatalogueEntry, countTools, listTools, toolsOfConnection } from './tools.ts'

export type ToolCosts = ReturnType<typeof createToolCosts>

/** The number of definitions that are written for one count, because writing them blocks the event loop. */
const countedAtOnce = 500
/** Milliseconds for which the comparisons block the event loop. */
const sliceMs = 4

/**
 * Keeps the tokens and the warnings of each action's definition until the action changes.
 *
 * @param onCounted called after tools were counted in the background.
 */
export function createToolCosts(
  store: Pick<ConfigStore, 'snapshot' | 'onChange'>,
  counter: Pick<TokenCounter, 'count'>,
  callHistory: Pick<CallHistory, 'responseBytes'>,
  onCounted: () => void,
  onError: (error: unknown) => void,
) {
  const tokens = new WeakMap<ActionRecord, { readonly name: string; readonly tokens: number }>()
  /** The sums of connections whose tools are all counted. */
  const sums = new WeakMap<ConnectionRecord, number>()
  const ownWarnings = new WeakMap<
    ActionRecord,
    { readonly bytes: number | null; readonly list: ToolWarning[] }
  >()
  const slices = createTimeSlices({ sliceMs, isBusy: () => false })
  const lookAlikes = createLookAlikes()
  /** The tools that are compared, by connection. */
  const compared = new Map<string, readonly string[]>()
  /** The connections to compare again; null for all. */
  let changed: Set<string> | null = null
  const stopFollowing = store.onChange((_next, _previous, { connections }) => {
    for (const { id } of connections) changed?.add(id)
  })
  const inTurn = createSerialQueue()
  let isCounting = false
  let onDemandTokens: number | null = null

  async function count(entries: readonly CatalogueEntry[]): Promise<void> {
    const added = entries.filter(({ tool, action }) => tokens.get(action)?.name !== tool.name)
    for (let start = 0; start < added.length; start += countedAtOnce) {
      const part = added.slice(start, start + countedAtOnce)
      const counts = await counter.count(part.map(({ tool }) => definitionText(tool)))
      for (const [index, { tool, action }] of part.entries())
        tokens.set(action, { name: tool.name, tokens: counts[index] ?? 0 })
    }
  }

  /** Counts the three tools of clients that find the others on demand. They never change. */
  async function countOnDemand(): Promise<void> {
    if (onDemandTokens !== null) return
    const counts = await counter.count(Object.values(onDemandTools).map(definitionText))
    onDemandTokens = counts.reduce((sum, tokens) => sum + tokens, 0)
  }

  /** Counts all tools of a workspace, or of all. Rejects if counting takes too long. */
  async function countAll(config: Config, workspaceId: string | undefined): Promise<void> {
    let waiting: CatalogueEntry[] = []
    for (const connection of listConnections(config, workspaceId)) {
      if (sums.has(connection)) continue
      await slices.run(() => waiting.push(...toolsOfConnection(config, connection)))
      if (waiting.length < countedAtOnce) continue
      await count(waiting)
      waiting = []
    }
    await count(waiting)
  }

  /** Returns the tokens of a connection's tools together; null while one is not counted. */
  function sumOf(config: Config, connection: ConnectionRecord): number | null {
    const known = sums.get(connection)
    if (known !== undefined) return known
    let sum = 0
    for (const { tool, action } of toolsOfConnection(config, connection)) {
      const counted = tokens.get(action)
      if (counted?.name !== tool.name) return null
      sum += counted.tokens
    }
    sums.set(connection, sum)
    return sum
  }

  /** Returns the tokens of all tools together; null while one is not counted. */
  async function total(config: Config, workspaceId: string | undefined): Promise<number | null> {
    let sum = 0
    for (const connection of listConnections(config, workspaceId)) {
      const own = sums.get(connection) ?? (await slices.run(() => sumOf(config, connection)))
      if (own === null) return null
      sum += own
    }
    return sum
  }

  function countInBackground(config: Config, workspaceId: string | undefined): void {
    if (isCounting) return
    isCounting = true
    countAll(config, workspaceId)
      .then(onCounted, onError)
      .finally(() => {
        isCounting = false
      })
  }

  /** Compares the tools of the connections that have changed since the last time. */
  async function compare(): Promise<void> {
    const config = store.snapshot()
    const ids = changed ?? config.connections.keys()
    changed = new Set()
    for (const connectionId of ids) await slices.run(() => compareTools(config, connectionId))
  }

  function compareTools(config: Config, connectionId: string): void {
    compared.get(connectionId)?.forEach(lookAlikes.remove)
    compared.delete(connectionId)
    const record = config.connections.get(connectionId)
    const entries = record === undefined ? [] : toolsOfConnection(config, record)
    for (const { tool } of entries) lookAlikes.add(tool)
    if (entries.length > 0)
      compared.set(
        connectionId,
        entries.map(({ tool }) => tool.actionId),
      )
  }

  /** Returns whether other tools are in the workspace of a connection. */
  function sameWorkspace(connectionId: string): (other: Tellable) => boolean {
    const { connections } = store.snapshot()
    const workspaceId = connections.get(connectionId)?.workspaceId
    return other => connections.get(other.connectionId)?.workspaceId === workspaceId
  }

  function warningsOf({ tool, action, connection }: CatalogueEntry, bytes: number | null): ToolWarning[] {
    const known = ownWarnings.get(action)
    const own = known?.bytes === bytes ? known.list : toolWarnings(action, bytes)
    ownWarnings.set(action, { bytes, list: own })
    const isCompared = sameWorkspace(connection.connectionId)
    return [...own, ...lookAlikes.warningsFor(tool, isCompared)]
  }

  return {
    stop: stopFollowing,
    /**
     * Returns tools with the tokens and the warnings of each. The total covers all pages, of the connection or of the
     * workspace. It is null while tools are
     * counted in the background, for which only the last page waits.
     *
     * @throws ServiceError `workspace_not_found`, `invalid_input` for an unknown `after`.
     */
    async of(
      config: Config,
      only: { readonly workspaceId?: string | undefined; readonly connectionId?: string | undefined },
      page: PageRequest,
    ): Promise<AssistantTools> {
      const { workspaceId } = only
      const entries = listTools(config, only, page)
      const isLast = page.limit === undefined || entries.length < page.limit
      await count(entries).catch(onError)
      await countOnDemand().catch(onError)
      if (isLast) await countAll(config, workspaceId).catch(onError)
      const one = config.connections.get(only.connectionId ?? '')
      const totalTokens = one === undefined ? await total(config, workspaceId) : sumOf(config, one)
      if (totalTokens === null && !isLast) countInBackground(config, workspaceId)
      await inTurn(compare)
      const bytes = await callHistory.responseBytes(new Set(entries.map(({ tool }) => tool.connectionId)))
      const tools: AssistantTools['tools'] = []
      for (const entry of entries) {
        const { tool, action } = entry
        const warnings = await slices.run(() => warningsOf(entry, bytes.get(tool.actionId) ?? null))
        tools.push({ ...tool, tokens: tokens.get(action)?.tokens ?? null, warnings })
      }
      const connections = one === undefined ? listConnections(config, workspaceId) : [one]
      const totalTools = connections.reduce((sum, connection) => sum + countTools(connection), 0)
      return { tools, totalTokens, totalTools, onDemandTokens }
    },
    /** Returns the warnings of a tool that has, or would have, this name and description. */
    async lookAlikesOf(tool: Tellable): Promise<ToolWarning[]> {
      await inTurn(compare)
      const isInWorkspace = sameWorkspace(tool.connectionId)
      return slices.run(() => lookAlikes.warningsFor(tool, isInWorkspace))
    },
    /** Returns the tokens of the tools together, without those that could not be counted. @throws as `of`. */
    async tokens(config: Config, workspaceId: string): Promise<number> {
      await countAll(config, workspaceId).catch(onError)
      const known = await total(config, workspaceId)
      if (known !== null) return known
      return listTools(config, { workspaceId }).reduce(
        (sum, { action }) => sum + (tokens.get(action)?.tokens ?? 0),
        0,
      )
    },
  }
}

/** Returns the definition of a tool about as model providers write it into the prompt. */
function definitionText({
  name,
  description,
  inputSchema,
}: Pick<Tool, 'name' | 'description' | 'inputSchema'>): string {
  return JSON.stringify({ name, description, parameters: inputSchema })
}
