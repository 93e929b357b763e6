import type { CallSource } from '#shared/model/call.ts'

/** The origins of calls in words. */
export const sourceWords: Readonly<Record<CallSource, string>> = {
  test: 'Test panel',
  workflow: 'Workflow',
  cli: 'Command line',
  mcp: 'MCP client',
  conversation: 'Conversation',
  case: 'A case',
  check: 'Receiver check',
}
