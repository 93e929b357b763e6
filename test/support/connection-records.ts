import { createHash } from 'node:crypto'
import type { ConnectionRecord } from '#main/storage/config.ts'

/** When every fixture's clock starts, in milliseconds since 1970. */
export const startOfTests = Date.parse('2026-11-21T09:30:00.000Z')

/** Credentials of the usual form, the same in each run. */
function credential(name: string): string {
  return createHash('sha256').update(name).digest('base64url')
}

export function recordNamed(name: string): ConnectionRecord {
  const at = new Date(startOfTests).toISOString()
  return {
    connectionId: `conn_${name}`,
    workspaceId: 'default',
    name: `The ${name} connection`,
    slug: name,
    baseUrl: null,
    persistEvents: true,
    enabled: true,
    timeoutMs: 30_000,
    retention: { maxEvents: 10_000, maxDays: 30 },
    ignoreRepeats: false,
    inboundToken: credential(`token of ${name}`),
    signingSecret: `whsec_${credential(`secret of ${name}`)}`,
    oldSecrets: [],
    actions: [],
    eventTypes: [],
    createdAt: at,
    updatedAt: at,
  }
}
