import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Approvals } from '#main/assistant/approvals.ts'
import type { ConnectedClient } from '#main/assistant/connected-clients.ts'
import type { RefusalRecorder } from '#main/assistant/refusals.ts'
import { unchanged } from '#main/assistant/tools.ts'
import type { Environment } from '#main/connections/environment.ts'
import { actionRequest } from '#main/outbound/action-request.ts'
import { argumentIssues, takenArguments } from '#main/outbound/arguments.ts'
import type { Calls } from '#main/outbound/calls.ts'
import { maskArguments } from '#main/outbound/masking.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { type RefusalCode, refusalErrors } from '#shared/errors/assistant.ts'
import { findScoped, isOnDemand, type McpScope, type ScopedTool } from './scope.ts'
import { refusalResult, toolResult } from './tool-result.ts'

export type ToolCall = {
  readonly scope: McpScope
  /** The name as the client sees it. */
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly client: ConnectedClient
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal
  /** Aborts when the client no longer waits for a decision about the call. */
  readonly withdrawn: AbortSignal
  /** Tells the client what the call waits for. */
  readonly progress: (message: string) => void
}

/** Calls a tool. Every call, also a refused one, is in the history. */
export type ToolCaller = (call: ToolCall) => Promise<CallToolResult | 'unknown tool'>

/** Milliseconds between two progress notifications, well below the time-outs of clients. */
const progressEveryMs = 10_000

export function createToolCaller(parts: {
  readonly store: Pick<ConfigStore, 'snapshot'>
  readonly calls: Calls
  readonly approvals: Approvals
  readonly refuse: RefusalRecorder
  readonly environment: Pick<Environment, 'secrets'>
}): ToolCaller {
  const { store, calls, approvals, refuse, environment } = parts

  function find({ scope, name }: ToolCall): ScopedTool | undefined {
    return findScoped(store.snapshot(), scope, name)
  }

  function callingClient({ scope: { tokenId }, client, name }: ToolCall) {
    const tokenName = tokenId === null ? null : (store.snapshot().clientTokens.get(tokenId)?.name ?? null)
    return { name: client.facts.name, tokenId, tokenName, tool: name }
  }

  function refused(call: ToolCall, found: ScopedTool | null, code: RefusalCode): CallToolResult {
    refuse({
      connectionId: found?.connection.connectionId ?? null,
      actionId: found?.action.actionId ?? null,
      toolName: found?.action.toolName ?? call.name,
      method: found?.action.method ?? null,
      code,
      source: 'mcp',
      client: callingClient(call),
      arguments: call.arguments,
    })
    return refusalResult(refusalErrors[code], code)
  }

  /** Holds a call until it is decided. Returns the tool as it is then, or why the call must not be made. */
  async function askFirst(call: ToolCall, found: ScopedTool): Promise<ScopedTool | RefusalCode> {
    const { connection, action } = found
    const { name, tokenId, tokenName, tool } = callingClient(call)
    const asked = {
      ...{ clientName: name, tokenId, tokenName, name: tool },
      connectionId: connection.connectionId,
      actionId: action.actionId,
      toolName: action.toolName,
      method: action.method,
      arguments: maskArguments(call.arguments, environment.secrets()),
    }
    const tell = () => call.progress('Waiting until somebody allows this call in the dashboard.')
    const timer = setInterval(tell, progressEveryMs)
    tell()
    try {
      const outcome = await approvals.ask(asked, AbortSignal.any([call.signal, call.withdrawn]))
      if (outcome !== 'allow') return refusalOf[outcome]
      const now = find(call)
      const isSame = now !== undefined && unchanged(store.snapshot(), found)?.action === now.action
      return isSame && now.permission !== 'refuse' ? now : 'tool_changed'
    } finally {
      clearInterval(timer)
    }
  }

  /** Returns the tool to call, or why the call must not be made. */
  async function admit(call: ToolCall, found: ScopedTool): Promise<ScopedTool | RefusalCode> {
    switch (found.permission) {
      case 'run':
        return found
      case 'ask':
        // Nobody is asked about a call that cannot be made.
        return argumentIssues(found.action.parameters, call.arguments).length > 0
          ? found
          : askFirst(call, found)
      case 'refuse':
        return 'tool_not_permitted'
    }
  }

  return async asked => {
    asked.client.called()
    const found = find(asked)
    if (found === undefined) {
      refused(asked, null, 'unknown_tool')
      return 'unknown tool'
    }
    const { given, converted } = takenArguments(found.action.parameters, asked.arguments)
    const call = { ...asked, arguments: given }
    const allowed = await admit(call, found)
    if (typeof allowed === 'string') {
      const result = refused(call, found, allowed)
      // Such a client does not learn that there is a tool that it may not call.
      const isHidden = allowed === 'tool_not_permitted' && isOnDemand(store.snapshot(), call.scope)
      return isHidden ? 'unknown tool' : result
    }
    const { connection, action } = allowed
    const timer = setInterval(() => call.progress(`Waiting for ${connection.name}.`), progressEveryMs)
    try {
      const initiator = { source: 'mcp', client: callingClient(call), converted } as const
      const request = actionRequest(connection, action, { ...call.arguments }, initiator)
      const outcome = await calls.run(request, call.signal)
      return toolResult(outcome, allowed, store.snapshot().settings.assistantTextBytes)
    } finally {
      clearInterval(timer)
    }
  }
}

const refusalOf = {
  decline: 'call_declined',
  expired: 'approval_timed_out',
  aborted: 'call_cancelled',
  'too many': 'too_many_held_calls',
} as const satisfies Record<string, RefusalCode>
