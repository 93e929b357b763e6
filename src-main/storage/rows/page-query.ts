import { ServiceError } from '#shared/errors.ts'

const largestLimit = 200

/**
 * Returns the exclusive upper bound of the numbers of a page's items: the number of `before`, or the largest number.
 *
 * @param numberOf parses an id; it returns null for any other text.
 * @throws ServiceError `invalid_input` for a limit that is not 1 to 200, or a `before` that is not an id.
 */
export function pageStart(
  { before, limit }: { readonly before?: string | undefined; readonly limit: number },
  numberOf: (id: string) => number | null,
): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > largestLimit)
    throw invalid('limit', `Must be 1 to ${largestLimit}.`)
  const start = before === undefined ? Number.MAX_SAFE_INTEGER : numberOf(before)
  if (start === null) throw invalid('before', 'Must be the id of an earlier item.')
  return start
}

function invalid(path: string, message: string): ServiceError {
  return new ServiceError('invalid_input', { data: { issues: [{ path, message }] } })
}
