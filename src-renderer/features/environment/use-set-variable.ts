import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../client/client.ts'
import { fieldErrors, problemOf } from '../../client/problem.ts'
import { toastProblem } from '../../ui/toasts.tsx'

/**
 * Sets an environment variable, which never comes back out. What is wrong with its `name` or `value` is in
 * `problems`, to be told beside them.
 *
 * @param onSet told the variable's name once what is shown knows of it.
 */
export function useSetVariable(onSet: (name: string) => void) {
  const queries = useQueryClient()
  const set = useMutation(
    api.environment.set.mutationOptions({
      // The value is not remembered any longer than it is needed.
      gcTime: 0,
      async onSuccess(_set, { name }) {
        await Promise.all([
          queries.invalidateQueries({ queryKey: api.environment.key() }),
          queries.invalidateQueries({ queryKey: api.imports.key() }),
        ])
        onSet(name)
      },
      onError(error, { name }) {
        if (problemOf(error).issues.length === 0) toastProblem(`Variable “${name}” was not set`, error)
      },
    }),
  )
  return { set, problems: set.error === null ? {} : fieldErrors(problemOf(set.error)) }
}
