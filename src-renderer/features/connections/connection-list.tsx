import { Body, Foot, Top } from '../../ui/page.tsx'

export function ConnectionList() {
  return (
    <>
      <Top title="ConnectionList" />
      <Body>{null}</Body>
      <Foot hints={[]} />
    </>
  )
}
