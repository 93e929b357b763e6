import { createPresence } from '#main/storage/local/presence.ts'
import { describePresence } from './presence-contract.ts'

describePresence('The presence of one process', async () => {
  const presence = createPresence(error => {
    throw error
  })
  return { handles: [presence, presence], dispose: async () => {} }
})
