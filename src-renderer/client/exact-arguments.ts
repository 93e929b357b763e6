import { isObject, parseExact } from '#shared/json/exact-json.ts'
import type { CallArguments } from '#shared/model/call.ts'

/**
 * Returns the arguments of a call with all digits of their numbers. Keep the call and not the result in the query cache:
 * it copies objects, and a copy of an exact number is not a number.
 */
export function exactArguments(call: {
  readonly arguments: CallArguments
  readonly argumentsText?: string | undefined
}): CallArguments {
  const exact = call.argumentsText === undefined ? null : parseExact(call.argumentsText)
  return isObject(exact) ? exact : call.arguments
}
