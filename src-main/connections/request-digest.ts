import { sha256Hex } from '#main/lib/sha256-hex.ts'
import type { ActionRecord, ConnectionRecord } from '#main/storage/config.ts'

/**
 * Returns a digest of what the calls of an action send and where: method, base URL, path, headers and parameters. The
 * values of environment variables and the signing secret do not count. A person's permission to call an action is a
 * permission for one digest.
 */
export function requestDigest(
  { connectionId, baseUrl }: Pick<ConnectionRecord, 'connectionId' | 'baseUrl'>,
  { actionId, method, path, headers, parameters }: ActionRecord,
): string {
  return sha256Hex(
    JSON.stringify([
      connectionId,
      actionId,
      method,
      baseUrl,
      path,
      Object.entries(headers ?? {}),
      parameters,
    ]),
  )
}
