import { createContext, use } from 'react'
import type { z } from 'zod'
import type { ConnectionWithWarnings } from '#shared/model/connection.ts'

export type OpenConnection = z.infer<typeof ConnectionWithWarnings>

const Current = createContext<OpenConnection | null>(null)
export const CurrentConnection = Current.Provider

/** Returns the connection whose page is open. */
export function useCurrentConnection(): OpenConnection {
  const connection = use(Current)
  if (connection === null) throw new Error('useCurrentConnection is called outside a connection’s page.')
  return connection
}
