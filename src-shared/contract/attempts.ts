import { z } from 'zod'
import { Attempt } from '../model/attempt.ts'
import { routesOf } from './base.ts'
import { OneConnection } from './connections.ts'

const route = routesOf('attempts')
const Attempts = z.object({ attempts: z.array(Attempt) })

export const attempts = {
  list: route(
    'GET',
    '/connections/{connectionId}/attempts',
    'The last refused requests of a connection, newest first',
  )
    .input(OneConnection)
    .output(Attempts),
  get: route('GET', '/connections/{connectionId}/attempts/{attemptId}', 'One refused request')
    .input(OneConnection.extend({ attemptId: z.string() }))
    .output(Attempt),
  unknownToken: route('GET', '/attempts', 'The last requests with an unknown token, newest first').output(
    Attempts,
  ),
}
