/** The most items in a page of a list. */
export const maxPage = 500
