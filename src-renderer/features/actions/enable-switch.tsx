import { Switch } from '@mantine/core'

/** Whether the assistant may use an action; applies at once. */
export function EnableSwitch(props: {
  readonly name: string
  readonly isEnabled: boolean
  readonly onChange: (isEnabled: boolean) => void
  readonly tabIndex?: number
}) {
  return (
    // A click on the switch is none on the row that it stands in.
    // biome-ignore lint/a11y/noStaticElementInteractions: it takes no click, it keeps one
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <span onClick={event => event.stopPropagation()} style={{ display: 'inline-flex', padding: '4px 0' }}>
      <Switch
        aria-label={`Enable ${props.name}`}
        checked={props.isEnabled}
        onChange={event => props.onChange(event.currentTarget.checked)}
        tabIndex={props.tabIndex}
      />
    </span>
  )
}
