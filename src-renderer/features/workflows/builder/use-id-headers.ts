import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { templatesOf } from '#shared/model/sender/sender.ts'
import { api } from '../../../client/client.ts'

const none: readonly string[] = []

/** Returns the headers with the id of a message that the sender of a connection signs, in lower case. */
export function useIdHeaders(connectionId: string | null): readonly string[] {
  const input = connectionId === null ? skipToken : { connectionId }
  const { data } = useQuery(api.connections.get.queryOptions({ input }))
  const sender = data?.sender
  return useMemo(
    () =>
      sender === undefined
        ? none
        : templatesOf(sender).flatMap(({ idHeader }) => idHeader?.toLowerCase() ?? []),
    [sender],
  )
}
