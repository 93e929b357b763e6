import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { headerValues, type ReceivedResponse } from '#shared/model/call.ts'
import { api } from '../../../client/client.ts'
import { readJsonNodes } from '../../../ui/json-nodes.ts'
import { mappedFields } from '../test/mapped-fields.ts'

/** Returns a field of an answer as JSON, with all digits; null if the answer has no such field. */
export type FieldOf = (path: string) => string | null

/** Returns a function that finds the fields of an answer as the service does: another body than JSON is `{result: text}`. */
export function fieldsOf(response: ReceivedResponse): FieldOf {
  const { status, body } = response
  const nodes = readJsonNodes(body) ?? readJsonNodes(JSON.stringify({ result: body }))
  return path => {
    if (nodes === null) return null
    const [found] = mappedFields({ status, headers: headerValues(response), nodes }, [{ alias: '', path }])
    return found?.isThere === true ? found.json : null
  }
}

/** Returns the answer of a call as far as it is kept whole; null for none, and while it is read. */
export function useKeptAnswer(callId: string | null): FieldOf | null {
  const { data } = useQuery(
    api.calls.get.queryOptions({
      input: callId === null ? skipToken : { callId },
      staleTime: Number.POSITIVE_INFINITY,
    }),
  )
  return useMemo(() => (data?.response == null || data.shortened ? null : fieldsOf(data.response)), [data])
}
