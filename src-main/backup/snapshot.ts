/**
 * Writes config.json and copies of the event log and the history, which belong together, to the paths given. A
 * data folder without one of these gives no copy of it.
 */
export type TakeSnapshot = (paths: {
  readonly configFile: string
  readonly eventLogFile: string
  readonly historyFile: string
}) => Promise<void>
