import type { Command } from 'commander'
import { z } from 'zod'
import { AgentId, defaultAgentId } from '#shared/model/platform/parts.ts'
import type { OptionsOf } from './options.ts'

/** The options of a command for an agent that `runsWith` them. */
export const ofAgent = { agent: AgentId.default(defaultAgentId), workspace: z.string().min(1).optional() }
export type AgentOptions = OptionsOf<typeof ofAgent>

export function withAgentOptions(command: Command): Command {
  return command
    .option('--agent <id>', `the agent (default: ${defaultAgentId})`)
    .option('--workspace <id>', 'its workspace (default: the default workspace)')
}
