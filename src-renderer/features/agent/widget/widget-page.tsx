import { Switch, TextInput } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { corners, type Widget } from '#shared/model/platform/widget.ts'
import { formatCount } from '../../../ui/format.ts'
import { useNarrow } from '../../../ui/use-narrow.ts'
import { AgentPage, AgentSection } from '../agent-page.tsx'
import { NumberField } from '../number-field.tsx'
import { useShape } from '../use-shapes.ts'
import { ColourFields } from './colour-fields.tsx'
import classes from './widget.module.css'
import { WidgetPreview } from './widget-preview.tsx'

/** The name of each field in “Unsaved: header colours”. */
const words: Readonly<Record<keyof Widget, string>> = {
  bubbleColor: 'bubble colours',
  bubbleTextColor: 'bubble colours',
  chatHeaderBackgroundColor: 'header colours',
  chatHeaderTextColor: 'header colours',
  chatBackgroundColor: 'chat colour',
  position: 'corner',
  autoOpen: 'opening',
  openDelay: 'opening',
  fileUploadEnabled: 'file upload',
  chatHistoryEnabled: 'chat history',
  displayBranding: 'branding',
  logoUrl: 'logo',
  agentId: 'agent ID',
}

const switches = [
  ['fileUploadEnabled', 'File upload'],
  ['chatHistoryEnabled', 'Chat history'],
  ['displayBranding', 'Branding'],
] as const

/** The web widget: how it looks and when it opens. */
export function WidgetPage() {
  const isNarrow = useNarrow()
  return (
    <AgentPage
      path="/agent/widget"
      saved={useShape('widget')}
      heading="Web widget"
      intro="The chat that visitors of your site see."
      fields={words}
      hints={({ draft }) => ({ ...(draft.autoOpen && !isNarrow && { p: 'play the opening' }) })}
      pane={{ name: 'Preview', size: 436, content: ({ draft }) => <WidgetPreview draft={draft} /> }}
      foot={({ draft, problems }) =>
        Object.keys(problems).length === 0
          ? `${formatCount(Object.keys(draft).length, 'option')}, all valid`
          : null
      }
    >
      {form => {
        const { draft, change, problems } = form
        return (
          <>
            <AgentSection title="Colours">
              <ColourFields {...form} />
            </AgentSection>
            <AgentSection>
              <Row label="Corner">
                {() => <Corners value={draft.position} onChange={position => change({ position })} />}
              </Row>
              <Row label="Open by itself">
                {id => (
                  <div className={classes.opening}>
                    <Switch
                      id={id}
                      checked={draft.autoOpen}
                      onChange={event => change({ autoOpen: event.currentTarget.checked })}
                    />
                    <span className="t2">after</span>
                    <NumberField
                      aria-label="Delay in milliseconds"
                      size="sm"
                      w={104}
                      hideControls
                      rightSection={<span className="sm t3">ms</span>}
                      value={draft.openDelay}
                      error={problems.openDelay !== undefined}
                      aria-describedby={`${id}-delay`}
                      onChange={openDelay => change({ openDelay })}
                    />
                    <span
                      id={`${id}-delay`}
                      className={`sm ${problems.openDelay === undefined ? 't3' : 'bad'}`}
                    >
                      {problems.openDelay ?? '0 opens it at once.'}
                    </span>
                  </div>
                )}
              </Row>
            </AgentSection>
            <AgentSection>
              <div className={classes.switches}>
                {switches.map(([field, label]) => (
                  <Switch
                    key={field}
                    label={label}
                    checked={draft[field]}
                    onChange={event => change({ [field]: event.currentTarget.checked })}
                  />
                ))}
              </div>
            </AgentSection>
            <AgentSection>
              <Row label="Logo URL">
                {id => (
                  <TextInput
                    id={id}
                    classNames={{ input: 'mono' }}
                    placeholder="https://"
                    description={
                      draft.logoUrl === ''
                        ? 'Without a logo, the chat shows an initial.'
                        : 'Shown on your site. The preview shows an initial instead.'
                    }
                    value={draft.logoUrl}
                    error={problems.logoUrl}
                    onChange={event => change({ logoUrl: event.currentTarget.value })}
                  />
                )}
              </Row>
              <Row label="Agent ID">
                {id => (
                  <TextInput
                    id={id}
                    classNames={{ input: 'mono' }}
                    description="The platform’s ID of the agent that answers in the chat."
                    value={draft.agentId}
                    error={problems.agentId}
                    onChange={event => change({ agentId: event.currentTarget.value })}
                  />
                )}
              </Row>
            </AgentSection>
          </>
        )
      }}
    </AgentPage>
  )
}

/** A row: its label on the left, its field on the right. @param props.children gets the field's id. */
function Row(props: { readonly label: string; readonly children: (id: string) => ReactNode }) {
  const id = useId()
  return (
    <div className={classes.row}>
      <label className="w5" htmlFor={id}>
        {props.label}
      </label>
      {props.children(id)}
    </div>
  )
}

type Corner = Widget['position']

function Corners(props: { readonly value: Corner; readonly onChange: (corner: Corner) => void }) {
  const name = useId()
  return (
    <div className={classes.corners} role="radiogroup" aria-label="Corner">
      {corners.map(corner => (
        <label key={corner} data-corner={corner} title={corner.replace('-', ' ')}>
          <input
            type="radio"
            className="sr"
            name={name}
            aria-label={corner.replace('-', ' ')}
            checked={corner === props.value}
            onChange={() => props.onChange(corner)}
          />
        </label>
      ))}
    </div>
  )
}
