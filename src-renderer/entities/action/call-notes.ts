import type { CallRecord } from '#shared/model/call.ts'

/** Returns sentences about the unusual ways in which a call was made and its response was read. */
export function callNotes({ resent, response }: Pick<CallRecord, 'resent' | 'response'>): string[] {
  return [
    ...(resent === true
      ? ['The request was sent twice: the server closed the first, reused connection without an answer.']
      : []),
    ...(response?.note === undefined ? [] : [response.note]),
  ]
}
