const signingSecret = /whsec_[A-Za-z0-9+/_=-]+/g

/** Whether a text holds what has the form of a signing secret; speaking of the prefix alone does not. */
export function holdsSigningSecret(text: string): boolean {
  return text.search(signingSecret) !== -1
}

/** The text without signing secrets, for whatever is shown. */
export function hideSecrets(text: string): string {
  return text.replace(signingSecret, 'whsec_…')
}
