/** The part of pino that the service uses. Fields are the first argument, as in pino. */
export type Logger = {
  isLevelEnabled(level: 'debug'): boolean
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
