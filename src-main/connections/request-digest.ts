import { sha256Hex } from '#main/lib/sha256-hex.ts'
import type { ActionRecord, ConnectionRecord } from '#main/storage/config.ts'
import { authOf } from '#shared/model/connection-auth.ts'

/**
 * Returns a digest of what the calls of an action send and where: method, base URL, path, headers, parameters and the
 * sign-in of the connection, unless the action has a header of that name. The values of environment variables and the
 * signing secret do not count. A person's permission to call an action is a permission for one digest.
 */
export function requestDigest(
  { connectionId, baseUrl, auth }: Pick<ConnectionRecord, 'connectionId' | 'baseUrl' | 'auth'>,
  { actionId, method, path, headers, parameters, sendsBody }: ActionRecord,
): string {
  const added = authOf(auth, headers)
  return sha256Hex(
    JSON.stringify([
      connectionId,
      actionId,
      method,
      baseUrl,
      path,
      Object.entries(headers ?? {}),
      parameters,
      ...(sendsBody === undefined ? [] : [sendsBody]),
      ...(added === null ? [] : [added.in, added.name, added.value]),
    ]),
  )
}
