import { dayMs } from '#shared/durations.ts'
import type { BackupNumbers } from '../numbers.ts'
import type { Rule } from '../rule.ts'

/** The newest good backup is too old. Without one, and without a schedule, nobody expects any. */
export const backupOld: Rule<BackupNumbers> = {
  unit: 'ms',
  read(
    {
      thresholds: {
        backup: { enabled, days },
      },
      newestAt,
      expectedSince,
    },
    now,
  ) {
    const since = newestAt ?? expectedSince
    if (!enabled || since === null) return null
    const value = Math.max(0, now - since)
    const threshold = days * dayMs
    return {
      ...{ opens: value > threshold, isCalm: value <= threshold, calmMs: 0, value, threshold },
      message: () =>
        newestAt === null
          ? `There is no backup yet, and there should be one since ${days} ${days === 1 ? 'day' : 'days'}.`
          : `The newest good backup is of ${new Date(newestAt).toISOString().slice(0, 10)}.`,
    }
  },
}
