import { Body, Foot, Top } from '../../ui/page.tsx'

export function SettingsPage() {
  return (
    <>
      <Top title="SettingsPage" />
      <Body>{null}</Body>
      <Foot hints={[]} />
    </>
  )
}
