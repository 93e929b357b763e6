import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ImportPreview } from '#shared/model/import-preview.ts'
import { api, client } from '../../client/client.ts'
import { problemOf } from '../../client/problem.ts'
import { toastProblem } from '../../ui/toasts.tsx'
import type { Done } from './done-step.tsx'
import type { ImportInput } from './use-import-preview.ts'

/** What is imported, and what was seen of it before. */
type Wanted = { readonly input: ImportInput; readonly preview: ImportPreview }

/**
 * Imports a text. It cannot be called back: it is written at once, all of it or none.
 *
 * @param on.refused the text was fine when it was previewed and is no longer.
 */
export function useApplyImport(on: { readonly done: (done: Done) => void; readonly refused: () => void }) {
  const queries = useQueryClient()
  const apply = useMutation({
    mutationFn: ({ input }: Wanted) => client.imports.apply(input),
    gcTime: 0,
    async onSuccess(result, { preview }) {
      on.done({ result, preview })
      await queries.invalidateQueries({ queryKey: api.connections.key() })
    },
    onError(error, wanted) {
      if (problemOf(error).code === 'invalid_document') {
        on.refused()
        toastProblem('Nothing was imported', error)
      } else
        toastProblem('The import did not come through', error, [
          { label: 'Try again', run: () => apply.mutate(wanted) },
        ])
    },
  })
  return apply
}
