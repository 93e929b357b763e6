/** The heading of the shortcuts of a story. */
export const group = 'Story'
