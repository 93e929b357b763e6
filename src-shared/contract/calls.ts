import { z } from 'zod'
import { CallRecord } from '../model/call.ts'
import { routesOf } from './base.ts'

const route = routesOf('actions')

export const calls = {
  get: route('GET', '/calls/{callId}', 'One call, with its request and response')
    .input(z.object({ callId: z.string() }))
    .output(CallRecord),
}
