import { z } from 'zod'
import type { CallError } from '#shared/model/call.ts'

const Missing = z.object({ environmentVariables: z.array(z.string()) })

/** Returns the names of the variables that were not set for a call. */
export function missingVariables({ data }: Pick<CallError, 'data'>): string[] {
  return Missing.safeParse(data).data?.environmentVariables ?? []
}
