import type { z } from 'zod'
import { ServiceError } from '#shared/errors.ts'
import { issuesOf } from '#shared/model/issue.ts'

/** Parses the fields of a record. @throws ServiceError `invalid_input` listing all problems. */
export function checkedFields<Fields>(schema: z.ZodType<Fields>, given: object): Fields {
  const { data, error } = schema.safeParse(given)
  if (error === undefined) return data
  throw new ServiceError('invalid_input', { data: { issues: issuesOf(error) } })
}
