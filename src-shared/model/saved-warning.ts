import { z } from 'zod'

/** A warning about an unusual but valid part of what was saved. `path` has dots between its steps. */
export const SavedWarning = z.object({ path: z.string(), message: z.string() })
export type SavedWarning = z.infer<typeof SavedWarning>
