/** Header fields of a request in their order, as sent. */
export type HeaderFields = readonly (readonly [name: string, value: string])[]

/** Returns the first value of a header; undefined if it is missing. */
export function headerIn(headers: HeaderFields, wanted: string): string | undefined {
  const lower = wanted.toLowerCase()
  return headers.find(([name]) => name.toLowerCase() === lower)?.[1]
}
