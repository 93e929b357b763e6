import type { Challenge, SenderAnswer } from './challenge.ts'
import type { SenderTemplate, WrittenTemplate } from './sender-template.ts'

/** A way to check the requests of a sender. No two of a sender have the same kind of proof. */
type Check<Template> = {
  readonly title: string
  /** One sentence or two: where the provider has it, or who can send with it. */
  readonly text: string
  readonly template: Template
  /** Instead of those of the scheme. */
  readonly secret?: string
  readonly uncovered?: string
}

/** A scheme that senders sign with: what is not the same for each. */
export type SchemeKind = {
  readonly title: string
  /** The signature header, or a few words, for the list of schemes. */
  readonly about: string
  /** Where its secret is found, and what is the key. One or two sentences. */
  readonly secret: string
  /**
   * The templates that it stands for. The first counts whose `when` a request meets, or else whose signature it has. For
   * `template`, what a new one begins with.
   */
  readonly templates: readonly [WrittenTemplate, ...WrittenTemplate[]]
  /** Present if its owner chooses what is checked. The first is the default, with `templates`. */
  readonly checks?: readonly Check<WrittenTemplate>[]
  /** Whether it has a secret of its own. Else the signing secret of the connection verifies. */
  readonly hasOwnSecret: boolean
  /** The header that is the same in each delivery of an event, if its sender can deliver one again. In lower case. */
  readonly deliveryHeader?: string
  /** Present if its sender may post form fields instead of JSON. */
  readonly readsForms?: true
  /** The settings that its signed text contains, which its owner gives, with where they are found. */
  readonly settings?: Readonly<Record<string, string>>
  /** Where its owner enters the inbound URL: the way through its pages, or a call of its API. */
  readonly urlPlace?: string
  /** Present if its sender sends nothing before its owner also subscribes to something, with where. */
  readonly subscription?: { readonly to: string; readonly where: string }
  /** The questions that its sender asks, once or now and then, with their answers. */
  readonly challenges?: readonly Challenge[]
  /** How an accepted event is answered; by default `{"ok":true}`. */
  readonly answer?: SenderAnswer
  /** A sentence that says what its proof does not cover; left out if it covers all that counts. */
  readonly uncovered?: string
}

/** The same with what its templates leave out. */
export type SchemeFacts = Omit<SchemeKind, 'templates' | 'checks'> & {
  readonly templates: readonly [SenderTemplate, ...SenderTemplate[]]
  readonly checks: readonly Check<SenderTemplate>[]
}
