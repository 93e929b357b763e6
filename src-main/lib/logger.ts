/** What the service needs of a log; pino is one. Fields come first, as pino has them. */
export type Logger = {
  isLevelEnabled(level: 'debug'): boolean
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
