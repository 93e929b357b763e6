/**
 * Writes config.json and a copy of the event log, which belong to each other, to the paths given. A data folder
 * without an event log gives no copy.
 */
export type TakeSnapshot = (paths: {
  readonly configFile: string
  readonly eventLogFile: string
}) => Promise<void>
