import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { SettingsChange } from '#shared/model/settings.ts'
import { api } from '../../client/client.ts'
import { fieldErrors, problemOf } from '../../client/problem.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'

/**
 * Saves settings of the service and says so; what is wrong with a field is told beside it.
 *
 * @param options.what “The limits”.
 * @param options.note what follows from it.
 * @param options.onSaved told what was sent, when it is kept.
 */
export function useSaveSettings(options: {
  readonly what: string
  readonly note: string
  readonly onSaved: (sent: SettingsChange) => void
}) {
  const { what, note, onSaved } = options
  const queries = useQueryClient()
  const save = useMutation(
    api.settings.update.mutationOptions({
      async onSuccess(_kept, sent) {
        await queries.invalidateQueries({ queryKey: api.settings.key() })
        onSaved(sent)
        toastDone(`${what} saved`, note)
      },
      onError(error) {
        if (problemOf(error).issues.length === 0) toastProblem(`${what} not saved`, error)
      },
    }),
  )
  return { save, problems: save.error === null ? {} : fieldErrors(problemOf(save.error)) }
}
