import type { ActivityItem } from '#shared/model/activity.ts'
import { readEventText } from '../activity/event-text.ts'

/**
 * The text of the data of the newest event of this name among what was seen, replays and repeats included; null where
 * there is none, or it was cut.
 */
export function newestDataText(items: readonly ActivityItem[], eventName: string): string | null {
  for (const item of items.toReversed())
    if ('eventName' in item && item.eventName === eventName) {
      const text = readEventText(item.bodyText)
      if (text !== null) return text.dataText
    }
  return null
}
