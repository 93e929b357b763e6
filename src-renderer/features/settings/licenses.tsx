import { modals } from '@mantine/modals'
import { useQuery } from '@tanstack/react-query'
import { ErrorState } from '../../ui/empty-state.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'

/** Opens the licenses of all that the product contains of others. */
export function LicensesButton() {
  const open = () => modals.open({ title: 'Licenses', size: 'xl', children: <LicenseTexts /> })
  return (
    <button type="button" className="link" onClick={open}>
      Licenses
    </button>
  )
}

/** The text that the build has written beside the page (scripts/third-party-licenses.ts). */
function LicenseTexts() {
  useReturnFocus()
  const { data, error } = useQuery({
    queryKey: ['licenses'],
    staleTime: Number.POSITIVE_INFINITY,
    async queryFn() {
      const answer = await fetch('./licenses.txt')
      if (!answer.ok) throw new Error(`The service answered ${answer.status}.`)
      return answer.text()
    },
  })
  if (error !== null && data === undefined)
    return <ErrorState title="The licenses cannot be read" error={error} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by the keyboard, too.
    <pre tabIndex={0} style={{ whiteSpace: 'pre-wrap', maxHeight: '60vh', overflow: 'auto' }}>
      {data}
    </pre>
  )
}
