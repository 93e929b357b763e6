import { z } from 'zod'

export const Method = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
export type Method = z.infer<typeof Method>
