import { formatBytes, formatNumber } from './format.ts'

/** A limit as it was set: “1 MiB”, “64 KiB”, else in bytes or what they come to. */
export function binarySize(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${formatNumber(bytes / 1_048_576)} MiB`
  if (bytes % 1024 === 0) return `${formatNumber(bytes / 1024)} KiB`
  return formatBytes(bytes)
}
