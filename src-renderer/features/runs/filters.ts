import { RunStatus } from '#shared/model/run.ts'
import { anId, anyText, type Filters, oneOf } from '../../ui/filters.ts'

/** The filters of all runs. */
export const runFilters = {
  workflow: { schema: anId, menu: { name: 'Workflow', all: 'Any workflow' } },
  status: { schema: oneOf(RunStatus.options) },
  /** The event that started the runs. */
  event: { schema: anId },
  eventName: { schema: anyText, menu: { name: 'Event', all: 'Any event' } },
  text: { schema: anyText },
  /** `hour`, `day`, `week`, `all` or an ISO time. */
  since: { schema: anId, menu: { name: 'Period' } },
} as const satisfies Filters
