/**
 * Why a step or a run of a workflow failed. A step that calls can also fail with the code of a call, or with
 * `http_<status>`.
 */
export const runErrorCodes = [
  'unknown_connection',
  'unknown_action',
  'connection_off',
  'action_off',
  'not_a_list',
  'too_many_items',
  'too_many_steps',
  'too_much_work',
  'input_too_large',
  'missing_value',
  'invalid_variable',
  'invalid_value',
  'invalid_time',
  'invalid_path',
  'host_not_allowed',
  'invalid_body',
  'stopped',
  'does_not_fit',
  'damaged_payload',
  'internal_error',
] as const

export type RunErrorCode = (typeof runErrorCodes)[number]
