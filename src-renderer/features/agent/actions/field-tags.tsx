import { GripVertical, X } from 'lucide-react'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { isSaving } from '../../../ui/match-keys.ts'
import classes from './field-tags.module.css'

/** A list of names in an order that the pointer or Alt with the arrows changes. Enter or a comma adds one. */
export function FieldTags(props: {
  readonly label: string
  readonly hint: string
  readonly names: readonly string[]
  readonly onChange: (names: string[]) => void
  /** The problem of the list or of one of its names. */
  readonly error: string | undefined
  readonly invalid: ReadonlySet<number>
}) {
  const { label, hint, names, onChange, error, invalid } = props
  const [typed, setTyped] = useState('')
  const [dragged, setDragged] = useState<number | null>(null)
  const [news, setNews] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()

  function add(text: string): void {
    const found = text.split(/[\s,]+/).filter(name => name !== '')
    const fresh = [...new Set(found)].filter(name => !names.includes(name))
    if (fresh.length > 0) onChange([...names, ...fresh])
    setTyped('')
  }
  function remove(index: number): void {
    onChange(names.filter((_, one) => one !== index))
    setNews(`${names[index]} removed`)
    input.current?.focus()
  }
  function move(from: number, to: number): void {
    const name = names[from]
    if (name === undefined || to < 0 || to >= names.length || from === to) return
    const rest = names.filter((_, one) => one !== from)
    onChange([...rest.slice(0, to), name, ...rest.slice(to)])
    setNews(`${name} is now ${to + 1} of ${names.length}`)
  }
  function focusTag(index: number): void {
    list.current?.querySelectorAll<HTMLElement>('[data-tag]')[index]?.focus()
  }
  function onTagKey(event: KeyboardEvent<HTMLElement>, index: number): void {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key]
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    if (step !== undefined && event.altKey) move(index, index + step)
    else if (step !== undefined && index + step === names.length) input.current?.focus()
    else if (step !== undefined) focusTag(index + step)
    else if (event.key === 'Delete' || event.key === 'Backspace') remove(index)
    else return
    event.preventDefault()
  }

  return (
    <div>
      <div className={classes.label}>
        <label htmlFor={`${id}-input`}>{label}</label> <span className="t3">{hint}</span>
      </div>
      <div ref={list} className={classes.box} data-error={error !== undefined || undefined}>
        {names.map((name, index) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the keyboard moves tags with Alt and the arrows
          <span
            key={name}
            className={classes.tag}
            data-invalid={invalid.has(index) || undefined}
            data-dragged={dragged === index || undefined}
            draggable
            onDragStart={event => {
              event.dataTransfer.effectAllowed = 'move'
              // Firefox drags only what has data.
              event.dataTransfer.setData('text/plain', name)
              setDragged(index)
            }}
            onDragEnd={() => setDragged(null)}
            onDragOver={event => {
              if (dragged !== null) event.preventDefault()
            }}
            onDrop={event => {
              event.preventDefault()
              if (dragged !== null) move(dragged, index)
              setDragged(null)
            }}
          >
            <button
              type="button"
              data-tag
              className={`bare ${classes.name}`}
              aria-describedby={`${id}-keys`}
              onKeyDown={event => onTagKey(event, index)}
            >
              <GripVertical size={12} aria-hidden="true" />
              <code>{name}</code>
            </button>
            <button
              type="button"
              className={`bare ${classes.remove}`}
              aria-label={`Remove ${name}`}
              onClick={() => remove(index)}
            >
              <X size={12} />
            </button>
          </span>
        ))}
        <input
          ref={input}
          id={`${id}-input`}
          className={`mono ${classes.input}`}
          placeholder="Add field"
          autoComplete="off"
          spellCheck={false}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          value={typed}
          onChange={event => {
            const { value } = event.currentTarget
            if (/[\s,]/.test(value)) add(value)
            else setTyped(value)
          }}
          onKeyDown={event => {
            if (event.nativeEvent.isComposing) return
            if (event.key === 'Enter') {
              event.preventDefault()
              add(typed)
            } else if (isSaving(event)) add(typed)
            else if ((event.key === 'Backspace' || event.key === 'ArrowLeft') && typed === '') {
              event.preventDefault()
              focusTag(names.length - 1)
            }
          }}
          onBlur={() => add(typed)}
        />
      </div>
      <span id={`${id}-keys`} hidden>
        Alt with an arrow moves it, Delete removes it
      </span>
      <span role="status" className="sr">
        {news}
      </span>
      {error !== undefined && (
        <p id={`${id}-error`} className="sm bad">
          {error}
        </p>
      )}
    </div>
  )
}
