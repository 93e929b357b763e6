import type { AssistantTool, ClientToken } from '#shared/model/assistant.ts'
import { defaultPermission, Permission, permissionOf } from '#shared/model/permission.ts'

/** The properties of a tool that its permissions depend on. */
export type EvaluatedTool = Pick<AssistantTool, 'connectionId' | 'actionId' | 'annotations'>

/** A token's permission for a tool, and whether it follows from the token as a whole. */
export type Allowed = {
  readonly permission: Permission
  /** Whether no permission of its own can change it: a read-only token never writes. */
  readonly isFixed: boolean
}

/** Returns what a token may do with a tool; null if the tool is not one of its connection. */
export function allowedBy(token: ClientToken, tool: EvaluatedTool): Allowed | null {
  if (token.connectionId !== null && token.connectionId !== tool.connectionId) return null
  return {
    permission: permissionOf(token, tool),
    isFixed: token.readOnly && !tool.annotations.readOnly,
  }
}

/** Returns the permission that comes next when a cell is pressed. */
export function nextPermission(permission: Permission): Permission {
  const { options } = Permission
  return options[(options.indexOf(permission) + 1) % options.length] ?? 'run'
}

/** Returns the token's permissions with one of them set. One that the token has anyway is left out. */
export function withPermission(
  token: ClientToken,
  tool: EvaluatedTool,
  permission: Permission,
): ClientToken['permissions'] {
  const { [tool.actionId]: _, ...others } = token.permissions
  return permission === defaultPermission(token, tool) ? others : { ...others, [tool.actionId]: permission }
}
