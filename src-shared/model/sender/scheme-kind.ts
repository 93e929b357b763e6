import type { SenderTemplate } from './sender-template.ts'

/** A scheme that senders sign with: what is not the same for each. */
export type SchemeKind = {
  readonly title: string
  /** The signature header, or a few words, for the list of schemes. */
  readonly about: string
  /** Where its secret is found, and what is the key. One or two sentences. */
  readonly secret: string
  /**
   * The templates that it stands for. The one whose signature header is present counts. For `template`, what a new one
   * begins with.
   */
  readonly templates: readonly [SenderTemplate, ...SenderTemplate[]]
  /** Whether it has a secret of its own. Else the signing secret of the connection verifies. */
  readonly hasOwnSecret: boolean
  /** Present if its sender may post form fields instead of JSON. */
  readonly readsForms?: true
}
