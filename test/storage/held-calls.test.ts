import { createHeldCalls } from '#main/storage/local/held-calls.ts'
import { describeHeldCallStore } from './held-calls-contract.ts'

describeHeldCallStore('held calls in memory', async () => {
  const store = createHeldCalls(error => {
    throw error
  })
  return { handles: [store, store], dispose: async () => {} }
})
