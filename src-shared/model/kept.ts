/** How many refused requests of a connection are kept, and for how many days. */
export const keptAttempts = { most: 200, days: 7 } as const

/**
 * The maximum number and age in days of a connection's kept calls. Refused calls, messages of workflows and failed runs
 * have the same limits, each kind by itself.
 */
export const keptItems = { most: 1000, days: 30 } as const

/** How many characters of the message of a workflow or of a failed run are kept. */
export const maxKeptMessage = 2000
