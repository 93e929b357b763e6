import { platformEventTypes } from '#shared/platform/webhook-events.ts'

/** The webhook events of the platform, with examples as of now. */
export const platformEvents = platformEventTypes(Date.now())

export function platformEventOf(eventName: string) {
  return platformEvents.find(event => event.eventName === eventName)
}

export const bodyTextOf = ({ body }: (typeof platformEvents)[number]) => JSON.stringify(body, null, 2)
