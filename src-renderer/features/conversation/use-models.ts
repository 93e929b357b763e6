import { useQuery } from '@tanstack/react-query'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useFormCommand } from '../../ui/use-command.ts'

/** Reads the chosen model; null for none. */
export const useAssistantModel = () =>
  useQuery(api.settings.get.queryOptions({ select: ({ assistantModel }) => assistantModel }))

/** Looks for the model servers of this computer. */
export function useFoundModels() {
  return useQuery(
    api.conversations.models.queryOptions({
      // Looked for when a screen asks for them: what runs on this computer changes without the service’s knowing.
      staleTime: 10_000,
      refetchOnMount: true,
    }),
  )
}

/** Returns a mutation that chooses the model for all conversations. */
export function useChooseModel(onChosen: () => void = () => {}) {
  return useFormCommand(client.settings.update, 'The model was not chosen', settings => {
    queries.setQueryData(api.settings.get.queryKey(), settings)
    onChosen()
  })
}
