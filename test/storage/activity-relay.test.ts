import { createActivityRelay } from '#main/storage/local/activity-relay.ts'
import { describeActivityRelay } from './activity-relay-contract.ts'

describeActivityRelay('The relay of one process', async () => {
  const relay = createActivityRelay(error => {
    throw error
  })
  return { handles: [relay, relay], dispose: async () => {} }
})
