/** Says that an accepted event was offered to the workflows. */
export const eventTriggerRaised = 'external.event raised'
