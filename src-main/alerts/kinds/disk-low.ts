import type { NodeNumbers } from '../numbers.ts'
import type { Rule } from '../rule.ts'

const gibibyte = 1024 ** 3
/** By how much more has to be free before the alert closes. */
const calmFactor = 1.2

/** The disk of a node is nearly full. */
export const diskLow: Rule<NodeNumbers> = {
  unit: 'bytes',
  read({
    name,
    thresholds: {
      disk: { enabled, freeBytes },
    },
    isLost,
    disk,
  }) {
    if (!enabled || isLost || disk === null) return null
    const threshold = freeBytes ?? Math.max(gibibyte, Math.round(disk.size / 20))
    return {
      opens: disk.free < threshold,
      isCalm: disk.free > threshold * calmFactor,
      calmMs: 0,
      value: disk.free,
      threshold,
      message: () => `The disk of ${name} has only ${mebibytes(disk.free)} MiB free.`,
    }
  },
}

const mebibytes = (bytes: number) => Math.floor(bytes / 1024 ** 2)
