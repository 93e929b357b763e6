/** Why a tool call of an assistant was refused. Nothing was sent. */
export const refusalErrors = {
  unknown_tool: { status: 404, message: 'There is no such tool. List the tools again.' },
  tool_not_permitted: { status: 403, message: 'The token of this client may not call the tool.' },
  call_declined: { status: 403, message: 'Somebody declined the call in the dashboard.' },
  approval_timed_out: { status: 408, message: 'Nobody allowed the call in the dashboard in time.' },
  call_cancelled: { status: 499, message: 'The client gave up while the call waited for a decision.' },
  tool_changed: {
    status: 409,
    message: 'The tool was changed, switched off or removed while the call waited for a decision.',
  },
  too_many_held_calls: {
    status: 409,
    message: 'Too many calls already wait for a decision in the dashboard. Decide those first.',
  },
} as const satisfies Record<string, { status: number; message: string }>

export type RefusalCode = keyof typeof refusalErrors
