/** What to look for where a credential must not be: it also counts as leaked without its prefix, encoded, or in part. */
export function formsOf(credential: string): string[] {
  const bare = credential.replace(/^whsec_/, '')
  const bytes = Buffer.from(credential)
  return [
    bare,
    bare.slice(0, 16),
    bytes.toString('hex'),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    Buffer.from(bare, 'base64url').toString('hex'),
  ]
}
