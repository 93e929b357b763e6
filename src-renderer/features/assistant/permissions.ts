import type { Method } from '#shared/model/action.ts'
import type { ClientToken, Permission } from '#shared/model/assistant.ts'

/** What a permission depends on. */
export type ScopedTool = { readonly connectionId: string; readonly actionId: string; readonly method: Method }

/** What a token may do with a tool, and whether that follows from the token as a whole. */
export type Allowed = {
  readonly permission: Permission
  /** Whether no permission of its own can change it: a read-only token never writes. */
  readonly isFixed: boolean
}

/** Returns what a token may do with a tool; null if the tool is not one of its connection. */
export function permissionOf(token: ClientToken, tool: ScopedTool): Allowed | null {
  if (token.connectionId !== null && token.connectionId !== tool.connectionId) return null
  if (token.readOnly && tool.method !== 'GET') return { permission: 'refuse', isFixed: true }
  return { permission: token.permissions[tool.actionId] ?? defaultFor(token, tool), isFixed: false }
}

const defaultFor = ({ askFirst }: ClientToken, { method }: ScopedTool): Permission =>
  askFirst && method !== 'GET' ? 'ask' : 'run'

const order: readonly Permission[] = ['run', 'ask', 'refuse']

/** Returns the permission that comes next when a cell is pressed. */
export function nextPermission(permission: Permission): Permission {
  return order[(order.indexOf(permission) + 1) % order.length] ?? 'run'
}

/** Returns the token's permissions with one of them set. One that the token has anyway is left out. */
export function withPermission(
  token: ClientToken,
  tool: ScopedTool,
  permission: Permission,
): ClientToken['permissions'] {
  const { [tool.actionId]: _, ...others } = token.permissions
  return permission === defaultFor(token, tool) ? others : { ...others, [tool.actionId]: permission }
}
