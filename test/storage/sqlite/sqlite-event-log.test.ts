import { describeEventLog } from '../event-log-contract.ts'
import { openTemporary } from './open-temporary.ts'

describeEventLog('SQLite event log', openTemporary)
