import { z } from 'zod'
import { CallRecord } from '../model/call.ts'
import { route } from './base.ts'

export const calls = {
  get: route('GET', '/calls/{callId}', {
    tag: 'actions',
    summary: 'One call of an action, with its request and response',
    errors: ['call_not_found'],
  })
    .input(z.object({ callId: z.string() }))
    .output(CallRecord),
}
