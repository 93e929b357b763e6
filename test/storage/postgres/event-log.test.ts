import { describe } from 'vitest'
import { noPostgres } from '../../support/postgres.ts'
import { describeEventLog } from '../event-log-contract.ts'
import { openTemporary } from './open-events.ts'

describe.skipIf(noPostgres !== null)('in PostgreSQL', () => describeEventLog('the event log', openTemporary))
