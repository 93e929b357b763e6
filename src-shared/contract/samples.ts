import { z } from 'zod'
import { routesOf } from './base.ts'
import { OneConnection } from './connections.ts'

const route = routesOf('samples')

export const samples = {
  load: route(
    'POST',
    '/samples',
    'Create the sample connection with a small local server; an existing one stays',
    ['workspace_not_found', 'address_unavailable'],
  )
    .input(
      z.object({
        workspaceId: z
          .string()
          .nullish()
          .describe('The workspace of a new connection; by default the default workspace.'),
      }),
    )
    .output(OneConnection),
}
