import { Button } from '@mantine/core'
import { ErrorState } from '../../../ui/empty-state.tsx'

/** The service itself could not be asked to call. */
export function TestFailure(props: {
  readonly error: unknown
  readonly onAgain: () => void
  readonly onDismiss: () => void
}) {
  return (
    <ErrorState
      title="The test could not be started"
      error={props.error}
      actions={
        <>
          <Button onClick={props.onAgain}>Try again</Button>
          <Button variant="subtle" onClick={props.onDismiss}>
            Show the last result
          </Button>
        </>
      }
    />
  )
}
