import { onDemandTools } from '#main/assistant/on-demand.ts'
import type { Tool, ToolListing } from '#shared/model/tool.ts'
import { searchTool } from './search-tool.ts'

/** A tool as a model gets it. */
export type ModelTool = Pick<Tool, 'name' | 'description' | 'inputSchema'>

/** Returns the tools that a model gets beside those of the workspace. @param hasKnowledge whether there is any to search. */
export function ownToolsOf(listing: ToolListing, hasKnowledge: boolean): ModelTool[] {
  const found = listing === 'all' ? [] : Object.values(onDemandTools)
  return [...found, ...(hasKnowledge ? [searchTool] : [])].map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }))
}
