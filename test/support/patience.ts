/**
 * How long tests wait, in milliseconds. A limit ends only what hangs: on a busy machine everything comes, but later. So
 * no test has a limit of its own.
 */

/** A whole test, and each of its hooks. */
export const testMs = 600_000
/** One thing that a test waits for. Shorter, so that the error names what did not come. */
export const waitMs = 120_000
/** For storages: on a busy machine, a page of a search would end early. */
export const unhurried = { searchBounds: { ms: testMs } }
