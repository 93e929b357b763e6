import { writeSync } from 'node:fs'
import { openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { exampleConnection, now, sealer, withConnections } from './config-fixtures.ts'

// Counts upwards in the names of a few connections, several changes at a time, and prints each number once it is
// durable. The file is written again and again meanwhile. Runs until it is killed.
const store = await openConfigStore({
  file: process.argv[2] ?? '',
  sealer,
  clock: () => now,
  after(_delayMs, callback) {
    const timer = setTimeout(() => void callback(), 5)
    return () => clearTimeout(timer)
  },
})
const numbers = Array.from(store.snapshot().connections.values(), ({ name }) => Number(name))
let count = Math.max(0, ...numbers)

async function write(): Promise<never> {
  for (;;) {
    const number = ++count
    const record = exampleConnection(`conn_${number % 40}`, { name: String(number) })
    await store.update(config => ({ next: withConnections(config, record), result: null }))
    writeSync(1, `${number}\n`)
    // Now and then a pause, in which the file is written.
    if (number % 20 === 0) await new Promise(resolve => setTimeout(resolve, 8))
  }
}
await Promise.all([write(), write(), write()])
