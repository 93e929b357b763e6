import type { AlertKind } from '#shared/model/alert.ts'

/** Names each kind of alert. */
export const titles: Readonly<Record<AlertKind, string>> = {
  silent: 'Silent connection',
  refused: 'Refused requests',
  calls_failing: 'Failing calls',
  runs_failing: 'Failing runs',
  runs_stuck: 'Stuck runs',
  payload: 'Changed payload',
  clock: 'Clock is off',
  secret_grace: 'Old secret in use',
  disk_low: 'Low disk space',
  backup_old: 'Old backup',
  certificate_ends: 'Certificate ends',
  node_lost: 'Lost node',
}
