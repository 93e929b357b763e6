import { z } from 'zod'
import { Attempt } from '../model/attempt.ts'
import { route } from './base.ts'
import { OneConnection } from './connections.ts'

const tag = 'attempts'
const Attempts = z.object({ attempts: z.array(Attempt) })

export const attempts = {
  list: route('GET', '/connections/{connectionId}/attempts', {
    tag,
    summary: 'The last refused requests of a connection, newest first',
    errors: ['connection_not_found'],
  })
    .input(OneConnection)
    .output(Attempts),
  unknownToken: route('GET', '/attempts', {
    tag,
    summary: 'The last requests with an unknown token, newest first',
  }).output(Attempts),
}
