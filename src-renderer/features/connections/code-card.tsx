import { Button, Menu, SegmentedControl, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown, Copy, Eye, EyeOff, KeyRound } from 'lucide-react'
import { useState } from 'react'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { api } from '../../client/client.ts'
import { useLiveState } from '../../client/live-provider.tsx'
import { lastOutcome } from '../../entities/connection/connection-status.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import {
  maskedInboundUrl,
  maskedSecret,
  useCredentials,
  useInboundBase,
} from '../../entities/connection/use-secret.ts'
import { rejectionTitle } from '../../entities/snippet/explanations.ts'
import { languageSnippets } from '../../entities/snippet/languages.ts'
import { Language, languages } from '../../entities/snippet/snippet.ts'
import { StatusCode, Unknown } from '../../ui/badges.tsx'
import { ChoiceItems } from '../../ui/choice-items.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { formatExact, formatTime } from '../../ui/format.ts'
import { highlight } from '../../ui/highlight.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { optionsOf } from '../../ui/options-of.ts'
import { Dot } from '../../ui/pill.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useLocalStorage } from '../../ui/use-local-storage.ts'
import { agentPrompt } from './agent-prompt.ts'
import classes from './code-card.module.css'
import { type SampleEvent, sampleEvents } from './sample-event.ts'
import { sendCommand } from './sender/send-command.ts'

const purposes = { send: 'Send an event', verify: 'Verify a call', prompt: 'Prompt' } as const
type Purpose = keyof typeof purposes

const promptLines = (text: string) =>
  text
    .split('\n')
    .map(line => [{ text: line, kind: line.startsWith('#') ? ('com' as const) : ('key' as const) }])

/** Code that sends to this connection and verifies its calls, and the outcome of the last request. */
export default function CodeCard({ statistics }: { readonly statistics: ConnectionStatistics | undefined }) {
  const { connectionId, workspaceId, name, sender } = useCurrentConnection()
  const isOtherScheme = sender.scheme !== 'custom-connection'
  const base = useInboundBase(workspaceId)
  const { data: eventTypes = [] } = useQuery(api.eventTypes.list.queryOptions({ input: { connectionId } }))
  const [purpose, setPurpose] = useState<Purpose>('send')
  const [language, setLanguage] = useLocalStorage('code-language', Language, 'curl')
  const [chosen, setChosen] = useState<string | null>(null)
  const events = sampleEvents(eventTypes)
  const event = events.find(({ eventName }) => eventName === chosen) ?? events[0]

  const { read, url, secret } = useCredentials(connectionId)

  // The code of senders and the prompt are for the default scheme.
  const { prompt: _, ...ofOtherScheme } = purposes
  const isSending = purpose === 'send' || (isOtherScheme && purpose === 'prompt')
  const isCommand = isOtherScheme && isSending
  const { send, verify } = languageSnippets[language]
  const { label, highlight: grammar, file, command } = isSending ? send : verify
  const isShown = isSending && url.value !== null && secret.value !== null
  const shown = isCommand
    ? sendCommand(sender, connectionId, event.eventName, event.data)
    : isSending
      ? send.render({
          url: url.value ?? maskedInboundUrl(base ?? ''),
          secret: secret.value ?? maskedSecret,
          ...event,
        })
      : purpose === 'verify'
        ? verify.render()
        : agentPrompt(
            name,
            eventTypes.map(({ eventName }) => eventName),
          )
  const isPasted = isSending && language === 'curl'
  const usage = isPasted ? 'Paste it into a terminal.' : `Save it as ${file} and run ${command}.`

  const copyCommand = () => void copyWithToast(shown, 'Command', 'It contains no credential.')
  const copyVerify = () => void copyWithToast(shown, 'Code', `${usage} It reads CC_SIGNING_SECRET.`)
  const copyPrompt = () => void copyWithToast(shown, 'Prompt', 'No credential is in it.')
  function copyVariables() {
    const text = read().then(
      ({ inboundUrl, signingSecret }) => `CC_INBOUND_URL=${inboundUrl}\nCC_SIGNING_SECRET=${signingSecret}\n`,
    )
    void copyWithToast(text, 'Lines for .env', 'Both are credentials.')
  }
  function copySend(withSecret: boolean) {
    const text = read().then(({ inboundUrl, signingSecret }) =>
      send.render({ url: inboundUrl, ...event, ...(withSecret && { secret: signingSecret }) }),
    )
    if (withSecret) void copyWithToast(text, 'Code', usage, 'Code copied with the secret')
    else
      void copyWithToast(
        text,
        'Code',
        `${usage} It reads the secret from CC_SIGNING_SECRET. The inbound URL in it is a credential.`,
      )
  }
  function toggleSecrets() {
    for (const one of [url, secret]) {
      if (isShown) one.hide()
      else one.reveal()
    }
  }

  const copy = isCommand
    ? copyCommand
    : { send: () => copySend(false), verify: copyVerify, prompt: copyPrompt }[purpose]
  useShortcut({ keys: 'c', label: 'Copy the code', group: 'Overview' }, copy)

  return (
    <section className={classes.card} aria-label="Code">
      <div className={`row ${classes.head}`}>
        <SegmentedControl
          aria-label="Code for"
          value={isCommand ? 'send' : purpose}
          onChange={setPurpose}
          data={isOtherScheme ? optionsOf(ofOtherScheme) : optionsOf(purposes)}
        />
        <span className="push" />
        {isSending && !isCommand && (
          <Button size="xs" leftSection={<KeyRound />} onClick={() => copySend(true)}>
            Copy with secret
          </Button>
        )}
        <IconButton
          size="xs"
          icon={Copy}
          label={
            isCommand
              ? 'Copy the command'
              : { send: 'Copy without the secret', verify: 'Copy the code', prompt: 'Copy the prompt' }[
                  purpose
                ]
          }
          onClick={copy}
        />
      </div>
      {isCommand ? (
        <>
          <div className={classes.bar}>
            <span className="push">
              <EventChooser events={events} event={event} onChoose={setChosen} />
            </span>
          </div>
          <div className={classes.code}>
            <CodeBlock
              label="Command that sends an event"
              lines={highlight(shown, languageSnippets.curl.send.highlight)}
            />
          </div>
        </>
      ) : purpose === 'prompt' ? (
        <div className={classes.code}>
          <CodeBlock label="Prompt for a coding agent" lines={promptLines(shown)} />
        </div>
      ) : (
        <Tabs
          variant="none"
          value={language}
          onChange={value => setLanguage(Language.catch('curl').parse(value))}
          classNames={{ list: classes.languages ?? '', tab: classes.language ?? '' }}
        >
          <div className={classes.bar}>
            <Tabs.List aria-label="Language">
              {languages.map(one => (
                <Tabs.Tab key={one} value={one}>
                  {languageSnippets[one][isSending ? 'send' : 'verify'].label}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            {isSending && (
              <span className={`push row ${classes.tools}`}>
                <EventChooser events={events} event={event} onChoose={setChosen} />
                <IconButton
                  size="xs"
                  icon={isShown ? EyeOff : Eye}
                  label={isShown ? 'Hide the credentials in the code' : 'Reveal the credentials in the code'}
                  onClick={toggleSecrets}
                />
              </span>
            )}
          </div>
          <Tabs.Panel value={language}>
            <div className={classes.code}>
              <CodeBlock
                label={`${label}: ${isSending ? 'send an event' : 'verify a call'}`}
                lines={base === null ? [] : highlight(shown, grammar)}
              />
            </div>
          </Tabs.Panel>
        </Tabs>
      )}
      {isSending ? (
        <LastOutcomeLine statistics={statistics} />
      ) : purpose === 'prompt' ? (
        <div className={`row sm t2 ${classes.outcome}`}>
          No credential is in the prompt.
          <button type="button" className="link push" onClick={copyVariables}>
            Copy the lines for .env
          </button>
        </div>
      ) : (
        <div className={`row sm t2 ${classes.outcome}`}>
          Verify each call before any side effect. If the signature is wrong, answer 401.
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
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="xs"
          className={classes.event}
          aria-label={`Event in the code: ${event.eventName}`}
          rightSection={<ChevronDown size={12} />}
        >
          <code className="cut">{event.eventName}</code>
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes.events}>
        <ChoiceItems
          value={event.eventName}
          onChoose={onChoose}
          options={events.map(({ eventName }) => ({ value: eventName, label: <code>{eventName}</code> }))}
        />
      </Menu.Dropdown>
    </Menu>
  )
}

/** Shows the outcome of the last request to this connection, live. */
function LastOutcomeLine({ statistics }: { readonly statistics: ConnectionStatistics | undefined }) {
  const outcome = lastOutcome(statistics)
  const isLost = useLiveState() === 'lost'
  return (
    <div className={`row sm ${classes.outcome}`}>
      <Dot tone={isLost ? 'mute' : outcome?.kind === 'rejected' ? 'warn' : 'ok'} live={!isLost} />
      <span className="nowrap">
        {isLost ? 'Not up to date: the service does not answer.' : 'Run it and watch this line.'}
      </span>
      <span className={`row t3 push cut ${classes.last}`} role="status">
        {statistics === undefined ? (
          <Unknown />
        ) : outcome === null ? (
          'Nothing yet'
        ) : (
          <>
            <span className="cut">
              Last:{' '}
              {outcome.kind === 'accepted' ? (
                <code>{outcome.eventName}</code>
              ) : (
                rejectionTitle(outcome.code, outcome.diagnosis)
              )}
            </span>
            <StatusCode status={outcome.status} />
            <time dateTime={outcome.at} title={formatExact(outcome.at)} className="num nowrap">
              {formatTime(outcome.at)}
            </time>
          </>
        )}
      </span>
    </div>
  )
}
