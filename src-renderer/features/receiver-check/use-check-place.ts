import { useNavigate, useSearch } from '@tanstack/react-router'
import type { CheckId } from '#shared/model/receiver-check.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'

/** The chosen action and the open check, which are in the address. */
export function useCheckPlace() {
  const { connectionId } = useCurrentConnection()
  const navigate = useNavigate()
  const { action, check } = useSearch({ from: '/connections/$connectionId/check' })
  const go = (search: { action?: string | undefined; check?: CheckId | undefined }) =>
    void navigate({ to: '/connections/$connectionId/check', params: { connectionId }, search, replace: true })
  return {
    actionId: action ?? null,
    check: check ?? null,
    choose: (actionId: string) => go({ action: actionId }),
    open: (next: CheckId | null) => go({ action, check: next ?? undefined }),
  }
}
