import type { CallHistory } from '#main/history/calls.ts'
import type { ActionRecord, Config } from '#main/storage/config.ts'
import type { Tool } from '#shared/model/tool.ts'
import { lookAlikes, toolWarnings } from '#shared/model/tool-warning.ts'
import type { TokenCounter } from './token-counter.ts'
import { type CatalogueEntry, catalogueOf } from './tools.ts'

export type ToolCosts = ReturnType<typeof createToolCosts>

/** Keeps the tokens of each action's definition until the action changes. */
export function createToolCosts(
  counter: Pick<TokenCounter, 'count'>,
  callHistory: Pick<CallHistory, 'responseBytes'>,
  onError: (error: unknown) => void,
) {
  const kept = new WeakMap<ActionRecord, { readonly name: string; readonly tokens: number }>()

  async function countNew(entries: readonly CatalogueEntry[]): Promise<void> {
    const added = entries.filter(({ tool, action }) => kept.get(action)?.name !== tool.name)
    const counts = await counter.count(added.map(({ tool }) => definitionText(tool)))
    for (const [index, { tool, action }] of added.entries())
      kept.set(action, { name: tool.name, tokens: counts[index] ?? 0 })
  }

  return {
    /**
     * Returns the tools with the tokens and the warnings of each.
     *
     * @throws ServiceError `workspace_not_found`.
     */
    async of(config: Config, workspaceId?: string) {
      const entries = catalogueOf(config, workspaceId)
      await countNew(entries).catch(onError)
      const alike = lookAlikes(entries.map(({ tool }) => tool))
      const bytes = await callHistory.responseBytes(new Set(entries.map(({ tool }) => tool.connectionId)))
      const costs = entries.map(({ tool, action }) => ({
        ...tool,
        tokens: kept.get(action)?.tokens ?? null,
        warnings: [
          ...toolWarnings(action, bytes.get(tool.actionId) ?? null),
          ...(alike.get(tool.actionId) ?? []),
        ],
      }))
      const isComplete = costs.every(({ tokens }) => tokens !== null)
      return { tools: costs, totalTokens: isComplete ? sumOf(entries) : null }
    },
    /** Returns the tokens of the tools together, without those that could not be counted. @throws as `of`. */
    async tokens(config: Config, workspaceId: string) {
      const entries = catalogueOf(config, workspaceId)
      await countNew(entries).catch(onError)
      return sumOf(entries)
    },
  }

  function sumOf(entries: readonly CatalogueEntry[]): number {
    return entries.reduce((sum, { action }) => sum + (kept.get(action)?.tokens ?? 0), 0)
  }
}

/** Returns the definition of a tool about as model providers write it into the prompt. */
function definitionText({ name, description, inputSchema }: Tool): string {
  return JSON.stringify({ name, description, parameters: inputSchema })
}
