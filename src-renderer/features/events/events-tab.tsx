import { Body, Foot, Top } from '../../ui/page.tsx'

export function EventsTab() {
  return (
    <>
      <Top title="EventsTab" />
      <Body>{null}</Body>
      <Foot hints={[]} />
    </>
  )
}
