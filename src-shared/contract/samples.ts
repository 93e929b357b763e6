import { z } from 'zod'
import { route } from './base.ts'
import { OneConnection } from './connections.ts'

const tag = 'samples'

export const samples = {
  load: route('POST', '/samples', {
    tag,
    summary: 'Create the sample connection with a small local server; an existing one stays',
    errors: ['workspace_not_found', 'address_unavailable'],
  })
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
