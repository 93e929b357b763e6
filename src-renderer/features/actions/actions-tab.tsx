import { Body, Foot, Top } from '../../ui/page.tsx'

export function ActionsTab() {
  return (
    <>
      <Top title="ActionsTab" />
      <Body>{null}</Body>
      <Foot hints={[]} />
    </>
  )
}
