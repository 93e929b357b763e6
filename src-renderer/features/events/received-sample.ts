import { findNodeAtLocation, parseTree } from 'jsonc-parser'
import type { ActivityItem } from '#shared/model/activity.ts'

/** The text of `data` in an event's body, with the digits of its numbers; null where it is none or was cut. */
export function dataTextOf(bodyText: string): string | null {
  try {
    JSON.parse(bodyText)
  } catch {
    return null
  }
  const tree = parseTree(bodyText)
  const data = tree === undefined ? undefined : findNodeAtLocation(tree, ['data'])
  if (data === undefined || data.type === 'null') return '{}'
  return bodyText.slice(data.offset, data.offset + data.length)
}

/** The data of the newest event of this name among what was seen, replays and repeats included. */
export function newestDataText(items: readonly ActivityItem[], eventName: string): string | null {
  for (const item of items.toReversed())
    if ('eventName' in item && item.eventName === eventName) {
      const text = dataTextOf(item.bodyText)
      if (text !== null) return text
    }
  return null
}
