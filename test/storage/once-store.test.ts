import { createOnceStore } from '#main/storage/local/once-store.ts'
import { describeOnceStore } from './once-store-contract.ts'

describeOnceStore('The texts that one process keeps once', async () => {
  const once = createOnceStore(Date.now)
  return { handles: [once, once], dispose: async () => {} }
})
