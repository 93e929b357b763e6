/**
 * Why an answer in a conversation failed, or a model server cannot be used. They have no HTTP status: the code is in
 * `error` of the message, or in `problem` of the model server.
 */
export const answerErrors = {
  model_unreachable: { message: 'The model server does not answer.' },
  model_timeout: { message: 'The model server did not answer in time.' },
  model_unauthorized: { message: 'The model server refused the key.' },
  model_key_missing: { message: 'The environment variable with the model server’s key is not set.' },
  model_address_blocked: {
    message: 'The address of the model server is link-local or a cloud metadata address.',
  },
  model_not_found: { message: 'The model server does not have this model.' },
  model_without_tools: { message: 'This model cannot call tools. Choose one that can.' },
  model_rate_limited: { message: 'The model server has too many requests, or its quota is used up.' },
  model_refused: { message: 'The model server refused the request.' },
  model_invalid_response: { message: 'The response is not that of an OpenAI-compatible server.' },
  model_stream_broken: { message: 'The connection to the model server ended in the middle of the answer.' },
  model_output_too_large: {
    message: 'The model’s output exceeded the limit, so it was stopped. Ask for less.',
  },
  model_output_cut: {
    message: 'The answer is cut: the model has reached its output limit, or the end of its context.',
  },
  model_output_filtered: { message: 'The answer is cut: the content filter of the model server ended it.' },
  model_call_as_text: {
    message:
      'The model wrote a tool call as text, so nothing was called. Try again, or enable tool calls for this model in its server.',
  },
  model_wrote_nothing: { message: 'The model ended its answer without writing anything.' },
  context_full: { message: 'The conversation no longer fits into the model’s context.' },
  conversation_full: { message: 'The conversation has reached its largest size. Start a new one.' },
  step_limit: { message: 'The model called tools in too many steps, so it was stopped.' },
  answer_interrupted: { message: 'The service stopped while the answer was being generated.' },
  form_interrupted: {
    message:
      'The service stopped while the form was being sent. The other system may have received it already.',
  },
  storage_unavailable: {
    message: 'The service has lost its storage for the moment, so it does nothing. Try again in a moment.',
  },
  internal_error: { message: 'An unexpected error occurred. The service’s log has the details.' },
} as const satisfies Record<string, { message: string }>

export type AnswerErrorCode = keyof typeof answerErrors
