import { resolve } from 'node:path'

/** Names the variable that holds the built executable's entry, in a run of the tests that builds the product. */
export const builtEntryVariable = 'TESTED_CLI_ENTRY'

/** The executable's entry: built where this run of the tests builds it, otherwise from source. */
export const cliEntry =
  process.env[builtEntryVariable] ?? resolve(import.meta.dirname, '../../src-main/cli/main.ts')
