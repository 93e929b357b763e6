import { type Bytes, type Guess, right, wrong } from './guess.ts'

/** Joins timestamp and body to the signed message; returns its pieces in order. */
export type Framing = (timestamp: string, body: Bytes) => readonly Bytes[]

const messages = {
  bodyOnly: 'You signed the body alone; sign `timestamp.body`, the timestamp being the text of the header.',
  noDot: 'You joined timestamp and body without the dot; sign `timestamp.body`.',
  otherJoint: 'You joined timestamp and body with something other than a dot; sign `timestamp.body`.',
  reversed: 'You put the body before the timestamp; sign `timestamp.body`.',
}

/** `timestamp.body` (specification: Signing scheme, 3). */
export const rightFraming = right<Framing>((timestamp, body) => [timestamp, '.', body])

export const wrongFramings: readonly Guess<Framing>[] = [
  wrong('signed_body_only', messages.bodyOnly, (_timestamp, body) => [body]),
  wrong('missing_dot', messages.noDot, (timestamp, body) => [timestamp, body]),
  wrong('body_before_timestamp', messages.reversed, (timestamp, body) => [body, '.', timestamp]),
  wrong('body_before_timestamp', messages.reversed, (timestamp, body) => [body, timestamp]),
  ...[':', '\n', '|', ' '].map(joint =>
    wrong<Framing>('missing_dot', messages.otherJoint, (timestamp, body) => [timestamp, joint, body]),
  ),
  wrong('missing_dot', messages.otherJoint, (timestamp, body) => ['v0:', timestamp, ':', body]),
]
