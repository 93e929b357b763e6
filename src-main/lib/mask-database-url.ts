/**
 * Hides the passwords of database URLs in a text. A password may contain an `@` that should have been escaped. What is
 * looked at is bounded, because others write such texts too.
 */
export function maskDatabaseUrls(text: string): string {
  return text
    .replace(/(\bpostgres(?:ql)?:\/\/[^\s:@"']{0,200}:)[^\s"']{0,2000}@/gi, '$1[redacted]@')
    .replace(/(\bpostgres(?:ql)?:\/\/[^\s"']{0,2000}[?&](?:ssl)?password=)[^\s"'&]{1,2000}/gi, '$1[redacted]')
}
