import { z } from 'zod'

/** Why the storage cannot store events. `docs/on-prem.md` says what to do about each. */
export const StorageOutage = z.enum([
  'storage',
  'no_connection',
  'database_full',
  'former_primary',
  'password',
  'locked',
  'disk_full',
])
export type StorageOutage = z.infer<typeof StorageOutage>

/** Why a load balancer should send nothing to a service. */
export const UnreadyReason = z.enum(['stopping', 'listener', ...StorageOutage.options])
export type UnreadyReason = z.infer<typeof UnreadyReason>
