import type { Command } from 'commander'
import { z } from 'zod'
import { AgentId, defaultAgentId } from '#shared/model/platform/parts.ts'
import { dataFolderOption, JsonFlag, jsonOption } from './options.ts'

/** The options of all commands for an agent. */
export const AgentOptions = z.object({
  agent: AgentId.default(defaultAgentId),
  workspace: z.string().min(1).optional(),
  data: z.string().min(1),
  json: JsonFlag,
})

export function withAgentOptions(command: Command): Command {
  return command
    .option('--agent <id>', `the agent (default: ${defaultAgentId})`)
    .option('--workspace <id>', 'its workspace (default: the default workspace)')
    .addOption(dataFolderOption('--data <dir>'))
    .addOption(jsonOption)
}
