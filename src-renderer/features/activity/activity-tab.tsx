import { Body, Foot, Top } from '../../ui/page.tsx'

export function ActivityTab() {
  return (
    <>
      <Top title="ActivityTab" />
      <Body>{null}</Body>
      <Foot hints={[]} />
    </>
  )
}
