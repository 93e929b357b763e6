import type { RunStore } from '../runs.ts'
import type { Signals } from '../signals.ts'

const topic = 'runs'
const cancelledTopic = 'cancelled-run'
/** Milliseconds for which changes are collected, and how many of them are named: beyond that, others only poll again. */
const collectMs = 50
const mostNamed = 100

/** Tells the runs that change or are cancelled on this node to the others, and publishes those of theirs. */
export function relayRuns(
  { changes, cancelled }: Pick<RunStore, 'changes' | 'cancelled'>,
  signals: Signals,
  slot: () => number,
): { stop(): void } {
  const changed = new Set<string | null>()
  let timer: NodeJS.Timeout | undefined
  let isHearing = false

  function send(): void {
    timer = undefined
    const ids = [...changed].filter(id => id !== null)
    changed.clear()
    signals.send(topic, [slot(), ...(ids.length <= mostNamed ? ids : [])].join(' '))
  }

  const stopChanges = changes.subscribe(runId => {
    if (isHearing) return
    changed.add(runId)
    timer ??= setTimeout(send, collectMs).unref()
  })
  const stopSignals = signals.on(topic, text => {
    const [sender, ...ids] = text.split(' ')
    if (Number(sender) === slot()) return
    isHearing = true
    for (const id of ids.length > 0 ? ids : [null]) changes.publish(id)
    isHearing = false
  })
  // On its own and at once: the call of the run may be under way.
  const stopCancelled = cancelled.subscribe(({ runId, claimNumber }) => {
    if (!isHearing) signals.send(cancelledTopic, `${slot()} ${runId} ${claimNumber}`)
  })
  const stopCancelledSignals = signals.on(cancelledTopic, text => {
    const [sender, runId = '', claimNumber] = text.split(' ')
    if (Number(sender) === slot()) return
    isHearing = true
    cancelled.publish({ runId, claimNumber: Number(claimNumber) })
    isHearing = false
  })
  return {
    stop() {
      clearTimeout(timer)
      if (timer !== undefined) send()
      stopChanges()
      stopSignals()
      stopCancelled()
      stopCancelledSignals()
    },
  }
}
