import { Body, Foot, Top } from '../../ui/page.tsx'

export function OverviewTab() {
  return (
    <>
      <Top title="OverviewTab" />
      <Body>{null}</Body>
      <Foot hints={[]} />
    </>
  )
}
