/** Calls each base URL of its arguments once, in a process with an environment of its own. */
import { createCaller } from '#main/outbound/call.ts'

const caller = createCaller({ environment: { resolve: () => undefined }, clock: Date.now, version: '1.2.3' })
const results: unknown[] = []
for (const baseUrl of process.argv.slice(2)) {
  const { result, error } = await caller.call({
    connection: { baseUrl, signingSecret: 'whsec_x', timeoutMs: 5000 },
    action: {
      name: 'Get',
      toolName: 'get',
      description: 'Gets.',
      method: 'GET',
      path: '/',
      headers: null,
      parameters: [],
      responseMapping: null,
      isEnabled: true,
    },
    arguments: {},
  })
  results.push(error === null ? { result } : { code: error.code })
}
await caller.close()
console.log(JSON.stringify(results))
