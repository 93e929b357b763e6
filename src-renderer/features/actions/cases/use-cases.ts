import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Case } from '#shared/model/case.ts'
import { api } from '../../../client/client.ts'

/** The newest result of a case in a word. An old one says nothing of the action as it is now. */
export type CaseState = 'passed' | 'failed' | 'old' | 'waiting'

export function stateOf({ last }: Pick<Case, 'last'>): CaseState {
  if (last === null) return 'waiting'
  if (last.isOld) return 'old'
  return last.ok ? 'passed' : 'failed'
}

/** How many of some cases pass. */
export type CaseCounts = {
  readonly total: number
  readonly passed: number
  readonly failed: number
  /** When the newest of their results came; null before the first. */
  readonly newestAt: string | null
}

export function countCases(cases: readonly Case[]): CaseCounts {
  const states = cases.map(stateOf)
  const times = cases.flatMap(({ last }) => (last === null ? [] : [last.at]))
  return {
    total: cases.length,
    passed: states.filter(state => state === 'passed').length,
    failed: states.filter(state => state === 'failed').length,
    newestAt: times.reduce<string | null>(
      (newest, at) => (newest === null || at > newest ? at : newest),
      null,
    ),
  }
}

const noCases: readonly Case[] = []

/** Returns the cases of a connection in the order of creation, and those of each action. */
export function useCases(connectionId: string) {
  const query = useQuery(api.cases.all.queryOptions({ input: { connectionId } }))
  const all: readonly Case[] = query.data ?? noCases
  const byAction = useMemo(() => Map.groupBy(all, ({ actionId }) => actionId), [all])
  return {
    query,
    all,
    /** How many actions have some. */
    actionCount: byAction.size,
    isKnown: query.data !== undefined,
    of: (actionId: string): readonly Case[] => byAction.get(actionId) ?? noCases,
  }
}

export type Cases = ReturnType<typeof useCases>
