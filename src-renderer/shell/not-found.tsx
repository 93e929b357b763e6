import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { EmptyState } from '../ui/empty-state.tsx'
import { Body, Top } from '../ui/page.tsx'

/** For an address that leads nowhere. */
export function NotFound() {
  const navigate = useNavigate()
  return (
    <>
      <Top title="Nothing here" />
      <Body>
        <EmptyState
          title="There is nothing at this address"
          actions={<Button onClick={() => void navigate({ to: '/connections' })}>Show connections</Button>}
        >
          The link may be old, or what it led to was deleted.
        </EmptyState>
      </Body>
    </>
  )
}
