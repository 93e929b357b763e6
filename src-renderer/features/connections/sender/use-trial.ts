import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import type { Sender } from '#shared/model/sender/sender.ts'
import type { SenderTrial } from '#shared/model/sender/sender-trial.ts'
import { api } from '../../../client/client.ts'

/** The request that a sender is tried with: a pasted text, or a refused request. */
export type Tried = { readonly text: string } | { readonly attemptId: string }

type Input = {
  readonly connectionId: string
  readonly sender: Sender
  /** A new secret; without it, the one that is set. */
  readonly secret?: string
} & Tried

/** Milliseconds without typing after which a request is verified. */
const pauseMs = 250

type Trial = { readonly data: SenderTrial | undefined; readonly error: unknown }
const nothing: Trial = { data: undefined, error: null }

/** Verifies a request as the user types; null if there is nothing to verify yet. */
export function useTrial(input: Input | null): Trial {
  // As a text, because each render makes another object.
  const [settled] = useDebouncedValue(JSON.stringify(input), pauseMs)
  const asked: Input | null = JSON.parse(settled)
  const query = useQuery({
    ...api.connections.verifySender.queryOptions({ input: asked ?? skipToken }),
    placeholderData: keepPreviousData,
    // The input may contain a secret.
    gcTime: 0,
    retry: false,
  })
  return asked === null || input === null ? nothing : query
}
