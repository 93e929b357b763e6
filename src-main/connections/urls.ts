import { inboundPath } from '#main/inbound/route.ts'
import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import type { Credentials } from '#shared/model/connection.ts'

/**
 * The base of a connection's inbound URL: its workspace's public address, else the service's
 * (`--public-url`), else the listener's own. Never made from a request (decisions: proxies).
 */
export function inboundBaseUrl(config: Config, record: ConnectionRecord, fallback: string): string {
  return config.workspaces.get(record.workspaceId)?.publicBaseUrl ?? fallback
}

/** What the external system needs (specification: inbound webhook URL, inbound token, signing secret). */
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
