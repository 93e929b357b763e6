import type { Place } from './sender-template.ts'

/** A value of a question's answer: what a request has at a place, or the HMAC of it with the sender's secret. */
export type AnswerValue = Place | { readonly hmac: Place; readonly encoding: 'hex' | 'base64' }

/** How a question of a sender is answered. */
export type ChallengeAnswer =
  | { readonly text: Place }
  | { readonly json: Readonly<Record<string, AnswerValue>> }
  /** A header that the request brings is sent back with an empty body. */
  | { readonly header: string }
  | { readonly constant: string; readonly type: 'application/json' | 'text/plain' }
  /** An empty body. */
  | { readonly empty: 200 | 204 }

/**
 * A question that a sender asks to learn whether the owner of a URL wants its events. Data only: a provider has no code
 * of its own.
 */
export type Challenge = {
  /** By default POST. */
  readonly method?: 'GET' | 'HEAD' | 'POST'
  /** The places that make a request this question: each has a value, the one that is given if any. */
  readonly has: readonly { readonly place: Place; readonly equals?: string }[]
  /** Whether its signature is verified first, as the provider's documentation says. */
  readonly isSigned: boolean
  /** Present if its sender may send events without it. */
  readonly isOptional?: true
  /** Where it has the token that must be the verify token of the connection. */
  readonly token?: Place
  /**
   * The value that a handshake brings, once: it becomes the secret of the sender at once (`secret`), or is shown to the
   * owner, who enters it at the provider (`shown`), and verifies from then on, too.
   */
  readonly keeps?: { readonly place: Place; readonly as: 'secret' | 'shown' }
  /** Where it has an address that confirms the URL: fetched by the service, or shown to be opened by hand. */
  readonly confirm?: {
    readonly place: Place
    readonly hosts: readonly string[]
    readonly by: 'service' | 'owner'
  }
  readonly answer: ChallengeAnswer
}

/** The name of the record of a question in the activity. */
export const questionEventName = 'url_verification'

/** How an accepted event is answered: as JSON, with nothing (204), as empty TwiML, or with a text. */
export type SenderAnswer = 'json' | 'empty' | 'twiml' | { readonly text: string }
