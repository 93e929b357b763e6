import { createLocalSignals } from '#main/storage/local/local-signals.ts'
import { describeSignals } from './signals-contract.ts'

describeSignals('the signals of one node', async () => {
  const errors: unknown[] = []
  const signals = createLocalSignals(error => errors.push(error))
  return { nodes: [signals, signals], errors, close: async () => {} }
})
