import { ColorInput, NumberInput, Select, Switch, TextInput } from '@mantine/core'
import { corners, type Widget } from '#shared/model/platform/widget.ts'
import { AgentPage, AgentSection } from './agent-page.tsx'
import { useShape } from './use-shapes.ts'

const colours = {
  bubbleColor: 'Bubble',
  bubbleTextColor: 'Bubble text',
  chatHeaderBackgroundColor: 'Header',
  chatHeaderTextColor: 'Header text',
  chatBackgroundColor: 'Chat',
} as const

const switches = {
  fileUploadEnabled: 'File upload',
  chatHistoryEnabled: 'Chat history',
  displayBranding: 'Branding',
} as const

const entriesOf = <K extends string>(labels: Readonly<Record<K, string>>) =>
  // The keys of a literal.
  Object.entries(labels) as [K, string][]

/** The web widget: how it looks and when it opens. */
export function WidgetPage() {
  return (
    <AgentPage
      path="/agent/widget"
      saved={useShape('widget')}
      heading="Web widget"
      intro="The chat that visitors of your site see."
      summary={(_draft: Widget, changed) => changed.join(', ')}
    >
      {({ draft, change, problems }) => (
        <>
          <AgentSection title="Colours">
            {entriesOf(colours).map(([field, label]) => (
              <ColorInput
                key={field}
                label={label}
                format="hexa"
                withEyeDropper={false}
                value={draft[field]}
                error={problems[field]}
                onChange={value => change({ [field]: value })}
              />
            ))}
          </AgentSection>
          <AgentSection>
            <Select
              label="Corner"
              data={corners}
              value={draft.position}
              onChange={position => position !== null && change({ position })}
            />
            <Switch
              label="Open by itself"
              checked={draft.autoOpen}
              onChange={event => change({ autoOpen: event.currentTarget.checked })}
            />
            <NumberInput
              label="Delay in milliseconds"
              value={draft.openDelay}
              error={problems.openDelay}
              onChange={typed => change({ openDelay: typeof typed === 'number' ? typed : Number.NaN })}
            />
          </AgentSection>
          <AgentSection>
            {entriesOf(switches).map(([field, label]) => (
              <Switch
                key={field}
                label={label}
                checked={draft[field]}
                onChange={event => change({ [field]: event.currentTarget.checked })}
              />
            ))}
          </AgentSection>
          <AgentSection>
            <TextInput
              label="Logo URL"
              value={draft.logoUrl}
              error={problems.logoUrl}
              onChange={event => change({ logoUrl: event.currentTarget.value })}
            />
            <TextInput
              label="Agent ID"
              value={draft.agentId}
              error={problems.agentId}
              onChange={event => change({ agentId: event.currentTarget.value })}
            />
          </AgentSection>
        </>
      )}
    </AgentPage>
  )
}
