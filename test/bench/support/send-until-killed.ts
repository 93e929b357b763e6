import { once } from 'node:events'
import { Pool, request } from 'undici'
import { signedHeaders } from '#main/signing/sign.ts'
import { SigningKey } from '#main/signing/signing-key.ts'
import type { RunningService } from './processes.ts'

/**
 * Sends events with growing ids until the service was killed after so many answers.
 *
 * @param acknowledged gets the ids that were answered 200.
 */
export async function sendUntilKilled(
  service: RunningService,
  options: { senders: number; prefix: string; answers: number; eventName?: string },
  acknowledged: Set<string>,
): Promise<void> {
  const { senders, prefix, answers, eventName = 'kill.test' } = options
  const key = new SigningKey(service.secret)
  const pool = new Pool(new URL(service.inboundUrl).origin, { connections: senders })
  const exited = once(service.process, 'exit')
  let next = 0
  let answered = 0
  const send = async () => {
    for (;;) {
      const id = `${prefix}-${next++}`
      const body = JSON.stringify({ event: eventName, data: { id } })
      try {
        const headers = { ...signedHeaders(key, Date.now(), body) }
        const answer = await request(service.inboundUrl, { method: 'POST', headers, body, dispatcher: pool })
        await answer.body.dump()
        if (answer.statusCode === 200) acknowledged.add(id)
        if (++answered === Math.floor(answers)) service.process.kill('SIGKILL')
      } catch {
        return // the process is gone
      }
    }
  }
  await Promise.all(Array.from({ length: senders }, send))
  await exited
  await pool.destroy()
}
