import { z } from 'zod'
import type { OccurrenceType } from '#shared/model/activity.ts'
import { addressOf, anId, anyText, choice, type Filters, oneOf } from '../../ui/filters.ts'
import { optionsOf } from '../../ui/options-of.ts'

/** A time in an address: ISO 8601. */
const aTime = z.iso.datetime().optional().catch(undefined)

/** As in the model, whose schemas the first screen would have to load. */
const types = {
  'event.accepted': true,
  'event.repeated': true,
  'event.replayed': true,
  'event.rejected': true,
  'call.finished': true,
  'call.refused': true,
  'workflow.notified': true,
  'run.failed': true,
  'alert.opened': true,
  'alert.closed': true,
} as const satisfies Record<OccurrenceType, true>

/** The filters of the activity. */
export const activityFilters = {
  show: {
    ...choice({ inbound: 'Inbound', outbound: 'Outbound', rejected: 'Rejected' }),
    menu: { name: 'Channel', all: 'Any channel' },
  },
  text: { schema: anyText },
  /** Only on the page of all connections. */
  connection: { schema: anId },
  outcome: {
    ...choice({ ok: 'Succeeded', failed: 'Failed' }),
    menu: { name: 'Outcome', all: 'Any outcome' },
  },
  /** One of the types, set by opening a group. */
  type: { schema: oneOf(optionsOf(types).map(({ value }) => value)) },
  /** Set by the figures of calls. */
  calls: choice({ sent: 'Only calls that were sent', unsent: 'Only calls that were not made' }),
  cause: { schema: anId, menu: { name: 'Cause', all: 'Any cause' } },
  eventName: { schema: anyText, menu: { name: 'Event name', all: 'Any event' } },
  since: { schema: aTime },
  until: { schema: aTime },
} as const satisfies Filters

/** A filter of the list by channel, besides “All”. */
export type Show = keyof typeof activityFilters.show.labels

/** The address of a list of the activity. */
export const activitySearch = z.object({
  /** Id of the activity item, or of the stored event, that is open. */
  item: anId,
  ...addressOf(activityFilters),
  /** The group that is open instead of an item. */
  group: anId,
  /** How far back the chart goes. */
  range: oneOf(['day', 'week', 'month']),
  /** Whether to focus the search field. */
  find: z.boolean().optional().catch(undefined),
})
