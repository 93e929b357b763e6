import { z } from 'zod'
import type { Tool } from './tool.ts'

/** Whether a client may call an action: at once, after somebody has allowed the call in the dashboard, or not at all. */
export const Permission = z.enum(['run', 'ask', 'refuse'])
export type Permission = z.infer<typeof Permission>

/** The fields of a token that decide. */
type TokenRules = {
  readonly readOnly: boolean
  readonly askFirst: boolean
  /** By actionId. */
  readonly permissions: Readonly<Record<string, Permission>>
}
export type EvaluatedTool = Pick<Tool, 'actionId' | 'annotations'>

/** Returns what a token may do with a tool. A read-only token never changes data. */
export function permissionOf(token: TokenRules, tool: EvaluatedTool): Permission {
  if (token.readOnly && !tool.annotations.readOnly) return 'refuse'
  const { permissions } = token
  const own = Object.hasOwn(permissions, tool.actionId) ? permissions[tool.actionId] : undefined
  return own ?? defaultPermission(token, tool)
}

/** Returns what a token may do with a tool for which it has no permission of its own. */
export function defaultPermission(
  { askFirst }: Pick<TokenRules, 'askFirst'>,
  { annotations }: EvaluatedTool,
): Permission {
  return askFirst && !annotations.readOnly ? 'ask' : 'run'
}
