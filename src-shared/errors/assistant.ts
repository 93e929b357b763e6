/** Why a tool call of an assistant was refused. Nothing was sent. */
export const refusalErrors = {
  tool_not_permitted: 'The token of this client may not call the tool.',
  call_declined: 'Somebody declined the call in the dashboard.',
  unknown_tool: 'There is no such tool. List the tools again.',
  approval_timed_out: 'Nobody allowed the call in the dashboard in time.',
  tool_changed: 'The tool was changed, switched off or removed while the call waited for a decision.',
  too_many_held_calls: 'Too many calls already wait for a decision in the dashboard. Decide those first.',
  call_cancelled: 'The client gave up while the call waited for a decision.',
}

export type RefusalCode = keyof typeof refusalErrors
