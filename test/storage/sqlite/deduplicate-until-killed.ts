/**
 * `deduplicate-until-killed.ts <file>`: appends events, each twice at once with the same key of a run, without end. Prints
 * the key and the run that has it, as soon as they are durable.
 */

import { deduplicationKey } from '#main/storage/deduplication-key.ts'
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { eventMaker } from '../event-log-events.ts'

const log = await openSqliteEventLog({ file: process.argv[2]! })
const make = eventMaker()

async function produce(_: unknown, producer: number): Promise<never> {
  for (let n = 0; ; n++) {
    const text = `${process.pid}-${producer}-${n}`
    const run = { workflowId: 'wf_a', workspaceId: 'ws_a', connectionId: 'conn_a', lane: 'lane' }
    const facts = { ...run, queuedAt: Date.now(), summary: JSON.stringify({ text }), data: '{}' }
    const start = () =>
      log.append(make(), [
        { ...facts, deduplicationKey: deduplicationKey('wf_a', text, Date.now(), 3_600_000) },
      ])
    const [first] = await Promise.all([start(), start()])
    process.stdout.write(`${text} ${first?.ids[0]}\n`)
  }
}

await Promise.all(Array.from({ length: 8 }, produce))
