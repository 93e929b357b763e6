import type { Environment } from '#main/connections/environment.ts'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import { createAssistantCalls } from '#main/history/assistant-calls.ts'
import type { CallHistory } from '#main/history/calls.ts'
import type { History } from '#main/history/history.ts'
import type { Occurrence } from '#main/history/kinds.ts'
import { createBus } from '#main/lib/bus.ts'
import { stopAll } from '#main/lib/stop-all.ts'
import type { Calls } from '#main/outbound/calls.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { HeldCallStore } from '#main/storage/held-calls.ts'
import type { Presence } from '#main/storage/presence.ts'
import type { Signals } from '#main/storage/signals.ts'
import type { TokenUses } from '#main/storage/token-uses.ts'
import { approvalKind, createApprovals } from './approvals.ts'
import { createConnectedClients } from './connected-clients.ts'
import { createToolCaller } from './mcp/call-tool.ts'
import type { Mcp } from './mcp/mcp.ts'
import { createRefusalRecorder } from './refusals.ts'
import { createToolSearch } from './search/tool-search.ts'
import { createTokenCounter } from './token-counter.ts'
import { createToolCosts } from './tool-costs.ts'

/** The clients of assistants, their tokens and calls, and the tools that they see. */
export type Assistant = ReturnType<typeof createAssistant>

export function createAssistant(parts: {
  readonly store: ConfigStore
  readonly heldCalls: HeldCallStore
  readonly tokenUses: TokenUses
  readonly presence: Presence
  readonly signals: Signals
  /** The id of this node. */
  readonly node: string
  readonly history: Pick<History, 'list' | 'keep'>
  readonly nextNumber: () => number
  readonly callHistory: Pick<CallHistory, 'responseBytes'>
  readonly calls: Calls
  readonly environment: Pick<Environment, 'secrets'>
  readonly publish: (occurrence: Occurrence) => void
  /** The command that starts this program, and the data folder. */
  readonly command: readonly [string, ...string[]]
  readonly dataFolder: string
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  readonly onError: (error: unknown) => void
  /** Whether other processes may answer requests of the same clients. */
  readonly isShared: boolean
  /** Milliseconds for which a call waits for a decision. */
  readonly approvalMs?: number | undefined
}) {
  const { store, heldCalls, history, callHistory, command, dataFolder, clock, random, onError } = parts
  const { tokenUses, presence, signals, node, isShared, approvalMs } = parts
  const hasSessions = !isShared
  /** Publishes after clients, tokens or held calls have changed. */
  const changes = createBus<void>(onError)
  const onChange = () => changes.publish()
  const counter = createTokenCounter()
  const costs = createToolCosts(store, counter, callHistory, onChange, onError)
  const approvals = createApprovals({ store: heldCalls, clock, random, waitMs: approvalMs })
  const stopFollowing = store.onChange((next, previous) => {
    if (next.clientTokens !== previous.clientTokens) onChange()
  })
  const stopFollowingCalls = heldCalls.changes.subscribe(kind => {
    if (kind === approvalKind) onChange()
  })
  const clients = createConnectedClients({ clock, random, presence, node, onChange })
  /** Records a tool call that was refused. */
  const refuse = createRefusalRecorder(parts)
  const callTool = createToolCaller({ ...parts, approvals, refuse })
  const search = createToolSearch()
  let mcp: Promise<Mcp> | null = null
  let url: string | null = null

  return {
    /** Notes that a client token is used now. */
    used: (tokenId: string) => tokenUses.used(tokenId, clock()),
    lastUses: tokenUses.all,
    clients,
    calls: createAssistantCalls(history, store),
    costs,
    search,
    counter,
    approvals,
    refuse,
    changes,
    /** Whether the older versions of MCP have sessions over HTTP. */
    hasSessions,
    /** Returns the MCP servers. The first call loads the SDK. */
    mcp() {
      mcp ??= import('./mcp/mcp.ts').then(({ createMcp }) =>
        createMcp({ store, clients, callTool, search, hasSessions, signals, clock, onError }),
      )
      return mcp
    },
    address() {
      const [program, ...args] = command
      return { url, command: program, args: [...args, 'mcp', '--data', dataFolder] }
    },
    /** Sets the base of the Streamable HTTP addresses; null while there is none on TCP. */
    setUrl(next: string | null) {
      url = next
      onChange()
    },
    stop: () =>
      stopAll([
        ...[stopFollowing, costs.stop, approvals.stop, stopFollowingCalls],
        ...[async () => (await mcp)?.stop(), clients.stop, counter.stop],
      ]),
  }
}
