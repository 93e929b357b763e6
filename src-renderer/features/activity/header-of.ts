/** What a request said in a header field, its name in lower case; undefined where it did not. */
export function headerOf(
  headers: readonly (readonly [string, string])[],
  wanted: string,
): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
}
