import { resolve } from 'node:path'

/** Names the variable that holds the built executable's entry, in a run of the tests that builds the product. */
export const builtEntryVariable = 'TESTED_CLI_ENTRY'

const built = process.env[builtEntryVariable]

/** The executable's entry: built where this run of the tests builds it, otherwise from source. */
export const cliEntry = built ?? resolve(import.meta.dirname, '../../src-main/cli/main.ts')

/** Where Node keeps what it compiled: for a built entry beside the product, with which it is removed. */
export const compileCache =
  built === undefined ? process.env.NODE_COMPILE_CACHE : resolve(built, '../../../compiled')
