import { useMutation } from '@tanstack/react-query'
import { toastProblem, toastUnlessInvalid } from './toasts.tsx'

const commandThatTells = (tell: typeof toastUnlessInvalid) =>
  function useChange<Output, Input = void>(
    run: (input: Input) => Promise<Output>,
    /** The title of the toast that says that it was not made. */
    failed: string | ((input: Input) => string),
    onSuccess?: (output: Output, input: Input) => unknown,
  ) {
    return useMutation({
      mutationFn: (input: Input) => run(input),
      onSuccess,
      onError: (error, input) => tell(typeof failed === 'string' ? failed : failed(input), error),
    })
  }

/** A change that the service makes. */
export const useCommand = commandThatTells(toastProblem)

/** A change that a form makes. The form shows the problems of its fields itself. */
export const useFormCommand = commandThatTells(toastUnlessInvalid)
