/** What `--log-level` takes, from all to nothing. */
export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof levels)[number]
