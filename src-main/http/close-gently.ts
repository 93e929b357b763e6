import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Milliseconds that requests under way are given to finish. */
const graceMs = 5000

/**
 * Follows the requests of a dashboard from now on.
 *
 * @returns the function that closes it: it stops accepting, lets what is under way be answered, and then
 *   ends what has no end of its own, such as the activity feed.
 */
export function closeGently(app: FastifyInstance): () => Promise<void> {
  const unanswered = new Set<ServerResponse>()
  let whenChanged = () => {}
  app.server.on('request', (_request: unknown, response: ServerResponse) => {
    unanswered.add(response)
    response.once('close', () => {
      unanswered.delete(response)
      whenChanged()
    })
  })

  return async () => {
    app.server.close()
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, graceMs)
      whenChanged = () => {
        if ([...unanswered].some(response => !isStream(response))) return
        clearTimeout(timer)
        resolve()
      }
      whenChanged()
    })
    await app.close()
  }
}

function isStream(response: ServerResponse): boolean {
  return String(response.getHeader('content-type')).startsWith('text/event-stream')
}
