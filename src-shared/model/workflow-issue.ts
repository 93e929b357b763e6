import { z } from 'zod'

/** An invalid reference in a workflow, for example to a missing action or an unknown variable. */
export const WorkflowIssue = z.object({
  stepKey: z.string().nullable().describe('Null for the trigger.'),
  path: z.string().describe('Path in the workflow. Segments are separated by dots.'),
  code: z.enum([
    'unknown_connection',
    'unknown_action',
    'unknown_argument',
    'missing_argument',
    'type_mismatch',
    'unknown_step',
    'unknown_variable',
    'invalid_variable',
    'invalid_time',
    'unclear_key',
    'unclear_name',
    'unknown_event',
    'unused_key',
    'constant_condition',
    'body_not_sent',
    'body_mismatch',
    'no_base_url',
    'connection_off',
    'action_off',
  ]),
  severity: z.enum(['error', 'warning']),
  message: z.string(),
  nearest: z.string().nullable().describe('The most similar valid name; null if none is similar.'),
})
export type WorkflowIssue = z.infer<typeof WorkflowIssue>
