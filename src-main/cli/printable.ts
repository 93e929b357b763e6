/** Returns a text without control characters, which a terminal would act on: they are shown as `\u001b`. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Bidi_Control}]/gu,
    found => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
