/** Encrypts texts with a key that all processes on one storage have. */
export type Sealing = {
  /** Encrypts a text. @param context where the text belongs; it is authenticated too. */
  seal(plaintext: string, context: string): string
  /** @throws unless the text was sealed with the same key for the same context. */
  open(sealed: string, context: string): string
}

/** The prefix of a sealed text. No JSON begins like it. */
export const sealedPrefix = 'aes-256-gcm:'
