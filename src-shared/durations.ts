export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** The times that a date can hold end here, in milliseconds before and after 1970. */
export const maxDateMs = 8.64e15
