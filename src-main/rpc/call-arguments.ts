import { ServiceError } from '#shared/errors.ts'
import { maxDepth } from '#shared/json/depth.ts'
import { isObject, parseExact } from '#shared/json/exact-json.ts'
import { isNestedDeeper } from '#shared/json/json-depth.ts'
import type { CallArguments } from '#shared/model/call.ts'
import { type CallContext, exactField } from './context.ts'

/** Returns the arguments of an input with exact numbers. @throws ServiceError `invalid_input`. */
export function argumentsOf<Given extends CallArguments | undefined>(
  input: { readonly arguments: Given; readonly argumentsText?: string | undefined },
  context: CallContext,
): CallArguments | Given {
  const { argumentsText } = input
  if (argumentsText !== undefined && isNestedDeeper(argumentsText, maxDepth)) {
    const message = `The arguments are nested deeper than ${maxDepth} levels.`
    throw new ServiceError('invalid_input', { data: { issues: [{ path: 'argumentsText', message }] } })
  }
  const exact = argumentsText === undefined ? exactField(context, 'arguments') : parseExact(argumentsText)
  return isObject(exact) ? exact : input.arguments
}
