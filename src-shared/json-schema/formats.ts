const day = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`
const date = new RegExp(`^${day}$`)
const dateTime = new RegExp(
  String.raw`^${day}t(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$`,
  'i',
)

/** Returns whether a text has a day that its month has. */
function isDay(text: string): boolean {
  const [year = 0, month = 0, number = 0] = text.slice(0, 10).split('-').map(Number)
  return new Date(Date.UTC(year, month - 1, number)).getUTCDate() === number
}

/** The formats that are checked, by their names in JSON Schema, with the words for a text of another one. */
export const formats: ReadonlyMap<
  string,
  { readonly matches: (text: string) => boolean; readonly noun: string }
> = new Map([
  ['date', { matches: text => date.test(text) && isDay(text), noun: 'a date such as 2026-11-29' }],
  [
    'date-time',
    { matches: text => dateTime.test(text) && isDay(text), noun: 'a time such as 2026-11-29T08:00:00Z' },
  ],
  ['email', { matches: text => /^[^\s@]+@[^\s@]+$/.test(text), noun: 'an e-mail address' }],
  ['uuid', { matches: text => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text), noun: 'a UUID' }],
  [
    'uri',
    { matches: text => /^[a-z][a-z\d+.-]*:[!-~\u{a1}-\u{10ffff}]+$/iu.test(text), noun: 'an absolute URI' },
  ],
])
