import type { CallRecord, ConvertedArgument } from '#shared/model/call.ts'

/** Returns sentences about the unusual ways in which a call was made and its response was read. */
export function callNotes(
  call: Pick<CallRecord, 'resent' | 'response'> & Partial<Pick<CallRecord, 'converted'>>,
): string[] {
  const { converted = [], resent, response } = call
  const taken = converted.flatMap(({ name, as }) => (as === null ? [] : [`${name} as ${nouns[as]}`]))
  const leftOut = converted.flatMap(({ name, as }) => (as === null ? [name] : []))
  return [
    ...(taken.length > 0 ? [`Given as text and taken as another type: ${taken.join(', ')}.`] : []),
    ...(leftOut.length > 0 ? [`Empty and therefore left out: ${leftOut.join(', ')}.`] : []),
    ...(resent === true
      ? ['The request was sent twice: the server closed the first, reused connection without an answer.']
      : []),
    ...(response?.note === undefined ? [] : [response.note]),
  ]
}

const nouns: Readonly<Record<NonNullable<ConvertedArgument['as']>, string>> = {
  number: 'a number',
  boolean: 'true or false',
  list: 'a list',
  object: 'an object',
}
