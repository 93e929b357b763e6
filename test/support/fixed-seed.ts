import fc from 'fast-check'

/**
 * Gives properties the same cases in each run, so that none fails by chance. Another seed tries others:
 * `PROPERTY_SEED=7 npx vitest run test/inbound/one-meaning.test.ts`.
 */
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 42) })
