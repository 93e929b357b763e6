/**
 * The statuses after which a sender must send an event again: those of the service, and those of a proxy in front of it
 * while the service is away or busy.
 */
export const retriedStatuses: readonly number[] = [408, 429, 502, 503, 504]

/** The rule for senders, without a full stop. */
export const retryRule = `Retry after ${retriedStatuses.join(', ')} or no response, with a new timestamp`
