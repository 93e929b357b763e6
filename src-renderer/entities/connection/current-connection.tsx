import { createSafeContext } from '@mantine/core'
import type { z } from 'zod'
import type { ConnectionWithWarnings } from '#shared/model/connection.ts'

export type OpenConnection = z.infer<typeof ConnectionWithWarnings>

/** Provides the connection whose page is open. */
export const [CurrentConnection, useCurrentConnection] = createSafeContext<OpenConnection>(
  'useCurrentConnection is called outside a connection’s page.',
)
