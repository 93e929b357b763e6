/**
 * Bounds of a client's message. The SDK validates a message several times, which takes about 20 µs for each value: one of
 * 4 MiB can have 700,000 values, and would keep all other work waiting for seconds.
 */
export const messageLimits = { bytes: 4 * 1024 * 1024, levels: 1000, values: 20_000 } as const
