import { Textarea } from '@mantine/core'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import classes from './translations-table.module.css'

/** Edits a text in its cell. Escape restores the text; Enter keeps it, and Shift with Enter begins a line. */
export function CellEditor(props: {
  readonly label: string
  readonly text: string
  readonly isInvalid: boolean
  readonly onText: (text: string) => void
  /** Called on Tab, or on Tab with Shift. */
  readonly onBeside: (step: 1 | -1) => void
  readonly onDone: () => void
  readonly onBlur: () => void
}) {
  const { onText, onBeside, onDone } = props
  const [before] = useState(props.text)
  const input = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    const element = input.current
    element?.focus({ preventScroll: true })
    element?.setSelectionRange(element.value.length, element.value.length)
  }, [])

  // Also with each change: the first one shows the save bar, which takes some of the room.
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each change
  useEffect(() => {
    input.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [props.text])

  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') {
      if (props.text !== before) onText(before)
      onDone()
    } else if (event.key === 'Enter' && !event.shiftKey) onDone()
    else if (event.key === 'Tab') onBeside(event.shiftKey ? -1 : 1)
    else return
    event.preventDefault()
  }

  return (
    <Textarea
      ref={input}
      className={classes.editor}
      aria-label={props.label}
      error={props.isInvalid}
      autosize
      minRows={1}
      maxRows={8}
      value={props.text}
      onChange={event => onText(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      onBlur={props.onBlur}
    />
  )
}
