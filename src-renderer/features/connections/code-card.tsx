import { Button, Menu, SegmentedControl, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Check, ChevronDown, Copy } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { highlight } from '#shared/snippets/highlight.ts'
import { sendSnippets } from '#shared/snippets/send.ts'
import { languages } from '#shared/snippets/snippet.ts'
import { verifySnippets } from '#shared/snippets/verify.ts'
import { api, client } from '../../client/client.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { copyAndTell } from '../../ui/copy-and-tell.ts'
import { useKept } from '../../ui/use-kept.ts'
import classes from './code-card.module.css'
import { useCurrentConnection } from './current-connection.tsx'
import { LastOutcomeLine } from './last-outcome-line.tsx'
import { maskedInboundUrl } from './masked-inbound-url.ts'
import { type SampleEvent, sampleEvents } from './sample-event.ts'
import { useInboundBase } from './use-inbound-base.ts'

const Language = z.enum(languages)
const Purpose = z.enum(['send', 'verify'])

/** Programs that send to this connection and verify its calls, and what came of the last request. */
export default function CodeCard({ statistics }: { readonly statistics: ConnectionStatistics | undefined }) {
  const { connectionId, workspaceId } = useCurrentConnection()
  const base = useInboundBase(workspaceId)
  const { data: eventTypes = [] } = useQuery(api.eventTypes.list.queryOptions({ input: { connectionId } }))
  const [purpose, setPurpose] = useState<z.infer<typeof Purpose>>('send')
  const [language, setLanguage] = useKept('code-language', Language, 'curl')
  const [chosen, setChosen] = useState<string | null>(null)
  const events = sampleEvents(eventTypes)
  const event = events.find(({ eventName }) => eventName === chosen) ?? events[0]

  const verify = verifySnippets.find(snippet => snippet.language === language)
  const send = sendSnippets.find(snippet => snippet.language === language)
  const snippet = purpose === 'send' ? send : verify
  if (send === undefined || verify === undefined || snippet === undefined) return null
  const render = (url: string) => (purpose === 'send' ? send.render({ url, ...event }) : verify.render())

  function copy() {
    const isSending = purpose === 'send'
    const text = isSending
      ? client.connections.credentials({ connectionId }).then(({ inboundUrl }) => render(inboundUrl))
      : render('')
    const how = `Save it as ${snippet?.file}; it reads CC_SIGNING_SECRET.`
    void copyAndTell(text, {
      done: 'Code copied',
      note: isSending ? `${how} It holds the inbound URL, a credential.` : how,
      failed: 'The code was not copied',
    })
  }

  return (
    <section className={classes.card} aria-label="Code">
      <div className={`row ${classes.head}`}>
        <SegmentedControl
          aria-label="Code for"
          value={purpose}
          onChange={value => setPurpose(Purpose.parse(value))}
          data={[
            { value: 'send', label: 'Send an event' },
            { value: 'verify', label: 'Verify a call' },
          ]}
        />
        <span className="push" />
        {purpose === 'send' && <EventChooser events={events} event={event} onChoose={setChosen} />}
        <Button
          size="xs"
          leftSection={<Copy size={14} aria-hidden="true" />}
          aria-label="Copy the code"
          onClick={copy}
        >
          Copy
        </Button>
      </div>
      <Tabs
        variant="none"
        value={language}
        onChange={value => setLanguage(Language.catch('curl').parse(value))}
        classNames={{ list: classes.languages ?? '', tab: classes.language ?? '' }}
      >
        <Tabs.List aria-label="Language">
          {(purpose === 'send' ? sendSnippets : verifySnippets).map(({ language, label }) => (
            <Tabs.Tab key={language} value={language}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={language}>
          <div className={classes.code}>
            <CodeBlock
              label={`${snippet.label}: ${purpose === 'send' ? 'send an event' : 'verify a call'}`}
              lines={base === null ? [] : highlight(render(maskedInboundUrl(base)), snippet.highlight)}
            />
          </div>
        </Tabs.Panel>
      </Tabs>
      {purpose === 'send' ? (
        <LastOutcomeLine statistics={statistics} />
      ) : (
        <div className={`row sm t2 ${classes.outcome}`}>
          Verify before any side effect, and answer anything else with 401.
        </div>
      )}
    </section>
  )
}

function EventChooser(props: {
  readonly events: readonly SampleEvent[]
  readonly event: SampleEvent
  readonly onChoose: (eventName: string) => void
}) {
  const { events, event, onChoose } = props
  return (
    <>
      <span className="sm t3">Event</span>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            size="xs"
            className={classes.event}
            aria-label={`Event in the code: ${event.eventName}`}
            rightSection={<ChevronDown size={12} aria-hidden="true" />}
          >
            <code className="cut">{event.eventName}</code>
          </Button>
        </Menu.Target>
        <Menu.Dropdown className={classes.events}>
          {events.map(({ eventName }) => (
            <Menu.RadioItem
              key={eventName}
              value={eventName}
              checked={eventName === event.eventName}
              closeMenuOnClick
              checkIcon={<Check size={14} />}
              onClick={() => onChoose(eventName)}
            >
              <code>{eventName}</code>
            </Menu.RadioItem>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
