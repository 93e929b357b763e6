import { Kbd, Modal } from '@mantine/core'
import { Search } from 'lucide-react'
import { Fragment, type KeyboardEvent, useId, useState } from 'react'
import { useReturnFocus } from '../../ui/focus.ts'
import { formatMinute } from '../../ui/format.ts'
import { Keys } from '../../ui/keys.tsx'
import { KeyHint } from '../../ui/page.tsx'
import { bestOf, markMatches } from '../../ui/rank.ts'
import { type Entry, groups } from './entry.tsx'
import classes from './palette.module.css'
import { useEntries } from './use-entries.tsx'

/** How many entries of each group are shown. */
const perGroup = 7

/** The groups that a prefix selects. */
const prefixes: Readonly<Record<string, readonly Entry['group'][]>> = {
  '>': ['Commands'],
  '#': ['Event types', 'Received events'],
  '@': ['Connections'],
}

const commandsFirst: readonly Entry['group'][] = ['Commands', ...groups.filter(group => group !== 'Commands')]
const leastWord = 4

/** Returns whether a command begins with what was typed, so that it is not a text to find. */
function isCommand(entries: readonly Entry[], query: string): boolean {
  const typed = query.trim().toLowerCase()
  return (
    typed.length >= leastWord &&
    entries.some(
      ({ group, text, isFallback }) =>
        group === 'Commands' && !isFallback && text.toLowerCase().startsWith(typed),
    )
  )
}

/** Finds connections, workflows, actions, events, runs, conversations and commands, and opens or runs one. */
export default function Palette(props: { readonly query: string; readonly onClose: () => void }) {
  useReturnFocus()
  const [typed, setTyped] = useState(props.query)
  const [at, setAt] = useState(0)
  const listId = useId()
  const only = prefixes[typed[0] ?? '']
  const query = only === undefined ? typed : typed.slice(1)
  const { entries, isSearching, searched = null } = useEntries(query)
  const inOrder = isCommand(entries, query) ? commandsFirst : groups
  const shown = inOrder.flatMap(group =>
    only === undefined || only.includes(group)
      ? bestOf(
          entries.filter(entry => entry.group === group),
          query,
          only === undefined ? perGroup : 50,
        )
      : [],
  )
  const isEmpty = shown.length === 0
  /** Whether the newest events and calls do not have it. */
  const isSearchingOlder = isSearching && searched !== null
  const selected = Math.min(at, shown.length - 1)

  function run(entry: Entry | undefined) {
    if (entry === undefined) return
    props.onClose()
    entry.run()
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && shown.length > 0) {
      event.preventDefault()
      setAt((selected + step + shown.length) % shown.length)
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      run(shown[selected])
    }
  }

  const option = (entry: Entry, index: number) => (
    // The input keeps the focus and handles the keys, as the combobox pattern asks.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <div
      key={index}
      id={`${listId}-${index}`}
      role="option"
      aria-selected={index === selected}
      className={classes.entry}
      onClick={() => run(entry)}
      onPointerMove={() => setAt(index)}
      ref={node => {
        if (index === selected) node?.scrollIntoView({ block: 'nearest' })
      }}
    >
      <span className={classes.icon}>{entry.icon}</span>
      <span className={`${classes.text} ${entry.mono === true ? 'mono' : ''}`}>
        {markMatches(entry.text, query).map(({ text, marked }, piece) => {
          const Piece = marked ? 'mark' : Fragment
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text in their order
          return <Piece key={piece}>{text}</Piece>
        })}
      </span>
      {entry.detail !== undefined && <span className="t3 sm cut">{entry.detail}</span>}
      <span className="push" />
      {index === selected && entry.does !== undefined && <span className="sm t2 nowrap">{entry.does}</span>}
      {index === selected && entry.keys === undefined && <Keys keys="enter" />}
      {entry.keys !== undefined && <Keys keys={entry.keys} />}
    </div>
  )

  return (
    <Modal.Root opened onClose={props.onClose} size={640} yOffset={104} transitionProps={{ duration: 0 }}>
      <Modal.Overlay />
      <Modal.Content aria-label="Command palette">
        <Modal.Body p={0}>
          <div className={classes.query}>
            <Search size={16} className="t3" />
            <input
              data-autofocus
              className={classes.input}
              value={typed}
              onChange={event => {
                setTyped(event.currentTarget.value)
                setAt(0)
              }}
              onKeyDown={onKeyDown}
              placeholder="Search or run"
              aria-label="Search or run"
              role="combobox"
              aria-expanded="true"
              aria-controls={listId}
              aria-activedescendant={shown[selected] && `${listId}-${selected}`}
            />
            <Kbd>esc</Kbd>
          </div>
          <div className={classes.list} role="listbox" id={listId} aria-label="Results">
            {inOrder
              .filter(group => shown.some(entry => entry.group === group))
              .map(group => (
                // biome-ignore lint/a11y/useSemanticElements: a group of options, not of form fields
                <div key={group} role="group" aria-label={group}>
                  <div className={classes.heading} aria-hidden="true">
                    {group}
                  </div>
                  {shown.map((entry, index) => entry.group === group && option(entry, index))}
                </div>
              ))}
          </div>
          <p className={`${classes.none} t2`} role="status" hidden={!isEmpty && !isSearchingOlder}>
            {isSearchingOlder
              ? `Searching older events and calls… now at ${formatMinute(searched.backTo)}.`
              : isEmpty && (isSearching ? 'Searching events and runs…' : `Nothing matches “${query.trim()}”`)}
          </p>
          <div className={classes.foot} aria-hidden="true">
            <KeyHint keys="updown" does="select" />
            <KeyHint keys="enter" does="run" />
            <span className="push" />
            <KeyHint keys=">" does="commands" />
            <KeyHint keys="#" does="events" />
            <KeyHint keys="@" does="connections" />
          </div>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
