import { inboundPath } from '#main/inbound/route.ts'
import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import type { AllCredentials, Credentials } from '#shared/model/connection.ts'

/**
 * Returns the base of a connection's inbound URL: its workspace's public address, else the service's (`--public-url`),
 * else the listener's own. Never taken from a request, whose headers a proxy or an attacker may change.
 */
export function inboundBaseUrl(config: Config, record: ConnectionRecord, fallback: string): string {
  return config.workspaces.get(record.workspaceId)?.publicBaseUrl ?? fallback
}

/** Returns what the external system needs to send events. */
export function credentialsOf(
  config: Config,
  record: ConnectionRecord,
  fallbackBaseUrl: string,
): Credentials {
  return {
    inboundUrl: inboundBaseUrl(config, record, fallbackBaseUrl) + inboundPath(record.inboundToken),
    inboundToken: record.inboundToken,
    signingSecret: record.signingSecret,
  }
}

/** Returns the same with the secret of the sender. */
export function allCredentialsOf(
  config: Config,
  record: ConnectionRecord,
  fallbackBaseUrl: string,
): AllCredentials {
  const { senderSecret, verifyToken } = record
  return {
    ...credentialsOf(config, record, fallbackBaseUrl),
    ...(senderSecret && { senderSecret }),
    ...(verifyToken && { verifyToken }),
  }
}
