import { SegmentedControl, Slider } from '@mantine/core'
import { ChevronDown, History, MessageCircle, Paperclip, Play, SendHorizontal, X } from 'lucide-react'
import { useState } from 'react'
import type { Widget } from '#shared/model/platform/widget.ts'
import { useWorkspace } from '../../../entities/workspace/current-workspace.tsx'
import { cssVariables } from '../../../ui/css-variables.ts'
import { KeyButton } from '../../../ui/keys.tsx'
import { optionsOf } from '../../../ui/options-of.ts'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import { inkFor, parseColour } from './contrast.ts'
import { delayOf, formatSeconds, playSpeed, timeLineEnd } from './opening.ts'
import { type Opening, useOpening } from './use-opening.ts'
import classes from './widget.module.css'

/** The widget on a page, with its colours, corner and delay. */
export function WidgetPreview({ draft }: { readonly draft: Widget }) {
  const delay = delayOf(draft)
  const opening = useOpening(delay)
  const { isOpen, show, play } = opening
  const [device, setDevice] = useState<'desktop' | 'phone'>('desktop')
  useShortcut({ keys: 'p', label: 'Play the opening', group: 'Agent' }, play, delay !== null)
  return (
    <section className={classes.preview} aria-label="Preview">
      <div className={classes.previewBar}>
        <h2 className="h2">Preview</h2>
        <span className="push" />
        <SegmentedControl
          size="xs"
          aria-label="State"
          value={isOpen ? 'open' : 'closed'}
          data={optionsOf({ open: 'Open', closed: 'Closed' })}
          onChange={next => show(next === 'open')}
        />
        <SegmentedControl
          size="xs"
          aria-label="Device"
          value={device}
          data={optionsOf({ desktop: 'Desktop', phone: 'Phone' })}
          onChange={setDevice}
        />
      </div>
      <div
        className={classes.stage}
        data-device={device}
        data-open={isOpen || undefined}
        role="img"
        aria-label={`A page of your site with the chat ${isOpen ? 'open' : 'closed'} in the ${draft.position.replace('-', ' ')} corner`}
      >
        <Site draft={draft} isOpen={isOpen} />
      </div>
      {delay === null ? (
        <p className={`sm t2 ${classes.timing}`}>The chat opens when a visitor presses the bubble.</p>
      ) : (
        <TimeLine delay={delay} opening={opening} />
      )}
    </section>
  )
}

function TimeLine({ delay, opening }: { readonly delay: number; readonly opening: Opening }) {
  const { at, isPlaying, seek, play } = opening
  const end = timeLineEnd(delay)
  const speed = playSpeed(delay)
  return (
    <div className={classes.timing}>
      <div className="row">
        <span className="sm w5">
          {delay === 0 ? 'Opens with the page' : `Opens ${formatSeconds(delay)} after the page`}
        </span>
        {speed > 1 && <span className="xs t3">{`Plays ${speed} times faster`}</span>}
        <span className="push" />
        <KeyButton keys="p" size="xs" icon={Play} onClick={play} disabled={isPlaying}>
          Play
        </KeyButton>
      </div>
      <Slider
        size={6}
        thumbSize={14}
        label={null}
        thumbLabel="Time since the page was loaded"
        thumbProps={{ 'aria-valuetext': formatSeconds(at) }}
        min={0}
        max={end}
        step={100}
        value={at}
        onChange={seek}
      />
      <div className={`xs t3 num ${classes.scale}`} aria-hidden="true">
        <span>page loaded</span>
        {delay > end * 0.3 && delay < end * 0.9 && (
          <span style={{ left: `${(delay / end) * 100}%` }}>{formatSeconds(delay)}</span>
        )}
        <span>{formatSeconds(end)}</span>
      </div>
    </div>
  )
}

function Site({ draft, isOpen }: { readonly draft: Widget; readonly isOpen: boolean }) {
  const { workspace } = useWorkspace()
  const name = workspace?.name ?? ''
  const chat = parseColour(draft.chatBackgroundColor)
  return (
    <div
      className={classes.site}
      data-corner={draft.position}
      style={cssVariables({
        '--bubble': draft.bubbleColor,
        '--bubble-text': draft.bubbleTextColor,
        '--chat': draft.chatBackgroundColor,
        '--chat-text': chat === null ? '#000000' : inkFor(chat),
        '--header': draft.chatHeaderBackgroundColor,
        '--header-text': draft.chatHeaderTextColor,
      })}
    >
      <div className={classes.address}>
        <i />
        <i />
        <i />
        your site
      </div>
      <div className={classes.blocks}>
        <i />
        <i />
        <i />
        <i />
      </div>
      <div className={classes.widget}>
        {isOpen && (
          <div className={classes.chat}>
            <div className={classes.chatHeader}>
              <span className={classes.initial}>{name.slice(0, 1).toUpperCase()}</span>
              <span className="w6 cut">{name}</span>
              <span className="push" />
              {draft.chatHistoryEnabled && <History />}
              <X />
            </div>
            <div className={classes.messages}>
              <p>Hello. How can I help?</p>
              <p data-mine>Where is my order?</p>
              <p>Tell me its number and I will look it up.</p>
            </div>
            <div className={classes.composer}>
              {draft.fileUploadEnabled && <Paperclip />}
              <span className="grow">Your message</span>
              <SendHorizontal color="var(--bubble)" />
            </div>
            {draft.displayBranding && <p className={classes.branding}>Runs on Custom Connection</p>}
          </div>
        )}
        <span className={classes.bubble}>
          {isOpen ? <ChevronDown size={20} /> : <MessageCircle size={20} />}
        </span>
      </div>
    </div>
  )
}
