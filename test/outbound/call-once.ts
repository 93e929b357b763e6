/** Calls each base URL of its arguments once, in a process with an environment of its own. */
import { actionRequest } from '#main/outbound/action-request.ts'
import { createCaller } from '#main/outbound/call.ts'
import { waitMs } from '../support/patience.ts'

const caller = createCaller({ environment: { resolve: () => undefined }, clock: Date.now, version: '1.2.3' })
const action = {
  actionId: 'act_1',
  toolName: 'get',
  method: 'GET' as const,
  path: '/',
  headers: null,
  parameters: [],
  responseMapping: null,
}
const results: unknown[] = []
for (const baseUrl of process.argv.slice(2)) {
  const connection = { connectionId: 'conn_1', baseUrl, signingSecret: 'whsec_x', timeoutMs: waitMs }
  const { result, error } = await caller.call(actionRequest(connection, action, {}, { source: 'cli' }))
  results.push(error === null ? { result } : { code: error.code })
}
await caller.close()
console.log(JSON.stringify(results))
