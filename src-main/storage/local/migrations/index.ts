import { actionsAndEnvironment } from './actions-and-environment.ts'
import type { Migration } from './migration.ts'
import { oldSecrets } from './old-secrets.ts'

/** All steps, oldest first. Version 1 is the first there was. */
export const migrations: readonly Migration[] = [actionsAndEnvironment, oldSecrets]
