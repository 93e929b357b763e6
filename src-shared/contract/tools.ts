import { z } from 'zod'
import { Tool } from '../model/tool.ts'
import { ToolName } from '../model/tool-name.ts'
import { route } from './base.ts'

export const tools = {
  list: route('GET', '/tools', {
    tag: 'tools',
    summary: 'The tools of the assistant: enabled actions of enabled connections with a base URL',
    errors: ['workspace_not_found'],
  })
    .input(z.object({ workspaceId: z.string().optional() }))
    .output(z.array(Tool)),
  suggestName: route('GET', '/tools/suggest-name', {
    tag: 'tools',
    summary: 'The tool name derived from the name of an action',
  })
    .input(z.object({ name: z.string().max(1000) }))
    .output(z.object({ toolName: ToolName })),
}
