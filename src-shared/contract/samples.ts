import { z } from 'zod'
import { route } from './base.ts'
import { OneConnection } from './connections.ts'

const tag = 'samples'

export const samples = {
  load: route('POST', '/samples', {
    tag,
    summary: 'Create the sample connection, with a small local server behind it; one that is there is kept',
    errors: ['workspace_not_found', 'address_unavailable'],
  })
    .input(
      z.object({
        workspaceId: z.string().nullish().describe('Of a new connection; left out: the default workspace.'),
      }),
    )
    .output(OneConnection),
}
