type ErrorDefinition = {
  /** The HTTP status. It has no meaning for errors that occur only on the command line. */
  readonly status: number
  /** One sentence for people. Never contains a secret or an expected signature. */
  readonly message: string
}

/** Returns errors of one HTTP status. @param messages by their code. */
export function errorsWith<Code extends string>(
  status: number,
  messages: Readonly<Record<Code, string>>,
): { readonly [Each in Code]: ErrorDefinition } {
  const entries = Object.entries<string>(messages).map(([code, message]) => [code, { status, message }])
  return Object.fromEntries(entries)
}
