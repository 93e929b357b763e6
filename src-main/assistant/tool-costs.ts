import type { ActionRecord, Config } from '#main/storage/config.ts'
import type { AssistantTools } from '#shared/model/assistant.ts'
import type { Tool } from '#shared/model/tool.ts'
import { lookAlikes, toolWarnings } from '#shared/model/tool-warning.ts'
import type { TokenCounter } from './token-counter.ts'
import { toolsOf } from './tools.ts'

export type ToolCosts = {
  /**
   * Returns the tools with the tokens and the warnings of each.
   *
   * @throws ServiceError `workspace_not_found`.
   */
  of(config: Config, workspaceId?: string): Promise<AssistantTools>
}

/** Keeps the tokens of each action's definition until the action changes. */
export function createToolCosts(
  counter: Pick<TokenCounter, 'count'>,
  onError: (error: unknown) => void,
): ToolCosts {
  const kept = new WeakMap<ActionRecord, { readonly name: string; readonly tokens: number }>()

  async function countNew(entries: readonly (readonly [Tool, ActionRecord])[]): Promise<void> {
    const added = entries.filter(([tool, action]) => kept.get(action)?.name !== tool.name)
    const counts = await counter.count(added.map(([tool]) => definitionText(tool)))
    for (const [index, [{ name }, action]] of added.entries())
      kept.set(action, { name, tokens: counts[index] ?? 0 })
  }

  return {
    async of(config, workspaceId) {
      const tools = toolsOf(config, workspaceId)
      const actions = new Map(
        Array.from(config.connections.values()).flatMap(connection =>
          connection.actions.map(action => [action.actionId, action] as const),
        ),
      )
      const entries = tools.flatMap(tool => {
        const action = actions.get(tool.actionId)
        return action === undefined ? [] : [[tool, action] as const]
      })
      await countNew(entries).catch(onError)
      const alike = lookAlikes(tools)
      const costs = entries.map(([tool, action]) => ({
        ...tool,
        method: action.method,
        tokens: kept.get(action)?.tokens ?? null,
        warnings: [...toolWarnings(action, null), ...(alike.get(tool.actionId) ?? [])],
      }))
      const isComplete = costs.every(({ tokens }) => tokens !== null)
      const totalTokens = isComplete ? costs.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0) : null
      return { tools: costs, totalTokens }
    },
  }
}

/** Returns the definition of a tool about as model providers write it into the prompt. */
function definitionText({ name, description, inputSchema }: Tool): string {
  return JSON.stringify({ name, description, parameters: inputSchema })
}
