/**
 * What the system keeps a user's secrets with. The desktop app has one; a headless service has none, since
 * nobody is logged in to unlock it.
 */
export type Keychain = {
  /** Whether the data key is to be kept wrapped; false has one that is wrapped put back as it was. */
  readonly wraps: boolean
  /** @throws when the keychain cannot. */
  wrap(text: string): Promise<string>
  /** @returns `renew` when the system asks for it to be wrapped anew. @throws when the keychain cannot. */
  unwrap(wrapped: string): Promise<{ readonly text: string; readonly renew: boolean }>
}
