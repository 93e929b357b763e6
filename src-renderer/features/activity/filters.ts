import { anyText, choice, type Filters } from '../../ui/filters.ts'

/** The filters of the activity. */
export const activityFilters = {
  show: choice({ inbound: 'Inbound', outbound: 'Outbound', rejected: 'Rejected' }),
  text: { schema: anyText },
  eventName: { schema: anyText },
} as const satisfies Filters

/** A filter of the list by channel, besides “All”. */
export type Show = keyof typeof activityFilters.show.labels
