import { type Guess, wrong } from './guess.ts'

const messages = {
  seconds:
    'You signed the timestamp in seconds but sent another text in the header; sign exactly the text that x-service-timestamp carries, in milliseconds.',
  format:
    'You signed the timestamp written in another way than in the header; sign exactly the text that x-service-timestamp carries.',
  neighbour:
    'You took the time twice, once for the signature and once for the header; take it once and use the same text for both.',
}

const decimal = /^[0-9]{1,15}$/

/** Returns at most 8 timestamps that the sender may have signed instead of the header's; none for a non-number. */
export function guessTimestamps(header: string): Guess<string>[] {
  if (!decimal.test(header)) return []
  const ms = Number(header)
  const iso = new Date(ms).toISOString()
  const guesses = [
    wrong('timestamp_mismatch', messages.seconds, String(Math.floor(ms / 1000))),
    wrong('timestamp_mismatch', messages.seconds, String(Math.ceil(ms / 1000))),
    wrong('timestamp_mismatch', messages.seconds, String(ms / 1000)),
    wrong('timestamp_mismatch', messages.format, String(ms)),
    wrong('timestamp_mismatch', messages.format, `${ms}.0`),
    wrong('timestamp_mismatch', messages.format, `${ms}000`),
    wrong('timestamp_mismatch', messages.format, iso),
    wrong('timestamp_mismatch', messages.format, iso.replace(/\.\d+Z$/, 'Z')),
  ]
  return guesses.filter(({ value }) => value !== header)
}

/** Generates the timestamps within `reach` ms of the header's, nearest first: twice `reach` guesses. */
export function* neighbouringTimestamps(header: string, reach: number): Generator<Guess<string>> {
  if (!decimal.test(header)) return
  const ms = Number(header)
  for (let distance = 1; distance <= reach; distance++) {
    // Senders usually sign first and take the header's time later.
    yield wrong('timestamp_mismatch', messages.neighbour, String(ms - distance))
    yield wrong('timestamp_mismatch', messages.neighbour, String(ms + distance))
  }
}
