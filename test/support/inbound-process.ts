import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInbound } from '#main/inbound/inbound.ts'
import { listenerTimeouts } from '#main/inbound/listener.ts'
import { createProbes } from '#main/inbound/probes.ts'
import { createSequence } from '#main/lib/sequence.ts'
import { createLocalSignals } from '#main/storage/local/local-signals.ts'
import { newConfig, openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { createOnceStore } from '#main/storage/local/once-store.ts'
import { createSealer } from '#main/storage/local/secrets.ts'
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { recordNamed } from './connection-records.ts'

// An inbound channel in a process of its own, on the folder given, that runs until it is killed. Says its port.
const folder = process.argv[2] ?? ''
const clock = Date.now
const onError = (error: unknown) => writeSync(2, `${error}\n`)
const record = recordNamed('first')
const store = await openConfigStore({
  file: join(folder, 'config.json'),
  sealer: createSealer(Buffer.alloc(32)),
  clock,
  initial: { ...newConfig(clock()), connections: new Map([[record.connectionId, record]]) },
})
const log = await openSqliteEventLog({ file: join(folder, 'events.sqlite'), onError })
const fastPath = (process.argv[3] ?? process.env.FAST_PATH) !== 'off'
const listener = { host: '127.0.0.1', port: 0, tls: null, timeouts: listenerTimeouts, fastPath }
const ids = { event: log.nextEvent, number: createSequence(clock) }
const probes = createProbes(createOnceStore(clock), createLocalSignals(onError), onError)
const inbound = createInbound({ store, log, listener, clock, ids, probes, record: () => {}, onError })
const { port } = (await inbound.listener.start(listener)).address
writeSync(1, `${port}\n`)
