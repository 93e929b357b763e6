import { z } from 'zod'
import { Tool } from '../model/tool.ts'
import { ToolName } from '../model/tool-name.ts'
import { ToolWarning } from '../model/tool-warning.ts'
import { pageOf, routesOf } from './base.ts'

const route = routesOf('tools')

export const tools = {
  list: route(
    'GET',
    '/tools',
    'The tools for an AI assistant: the enabled actions of enabled connections with a base URL',
    ['workspace_not_found', 'connection_not_found'],
  )
    .input(
      z.object({
        workspaceId: z.string().optional(),
        connectionId: z.string().optional(),
        ...pageOf('name'),
      }),
    )
    .output(z.array(Tool)),
  lookAlikes: route(
    'POST',
    '/tools/look-alikes',
    'The tools of the workspace that a model can confuse with an action, as it is or as it is drafted',
    ['connection_not_found'],
  )
    .input(
      z.object({
        connectionId: z.string(),
        actionId: z.string(),
        toolName: z.string().max(1000),
        description: z.string().max(100_000),
      }),
    )
    .output(z.array(ToolWarning)),
  suggestName: route('GET', '/tools/suggest-name', 'The tool name derived from the name of an action')
    .input(z.object({ name: z.string().max(1000) }))
    .output(z.object({ toolName: ToolName })),
}
