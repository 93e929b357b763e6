/** The parts of a receiver that can be wrong. */
export type Part = 'window' | 'rawBody' | 'key' | 'message' | 'missing' | 'header' | 'parsing' | 'answer'

/** The right lines of each part. They begin with `+ ` (added), `- ` (removed) or two spaces. */
export type Corrections = Readonly<Record<Part, string>>
