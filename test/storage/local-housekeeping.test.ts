import { localHousekeeping } from '#main/storage/local/housekeeping.ts'
import { describeHousekeeping } from './housekeeping-contract.ts'

describeHousekeeping('a data folder', async () => {
  const errors: unknown[] = []
  const housekeeping = localHousekeeping(error => errors.push(error))
  return { nodes: [housekeeping, housekeeping], errors, close: async () => {} }
})
