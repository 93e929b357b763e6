import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { formatNumber } from '../../../ui/format.ts'
import classes from './request-field.module.css'
import type { PlaceIn, SenderDraft } from './sender-draft.ts'

/** The height of a line of the field, and the space above the first. */
const lineHeight = 18
const padding = 8

/** The part of a text that its field shows. */
type View = {
  readonly first: number
  readonly last: number
  readonly total: number
  /** Whether lines go on at the right. */
  readonly isWide: boolean
}

/** The text of the request, with the parts marked that the scheme names. A new text is shown from its start. */
export function RequestField(props: {
  readonly draft: SenderDraft
  readonly text: string
  readonly onText: (text: string) => void
  readonly fieldRef: RefObject<HTMLTextAreaElement | null>
  readonly describedBy: string
}) {
  const { draft, text, onText, fieldRef, describedBy } = props
  const shown = useRef<HTMLPreElement>(null)
  const [view, setView] = useState<View | null>(null)
  /** The last text that was typed; any other one is new. */
  const typed = useRef(text)
  const replaces = useRef(false)

  function look(): void {
    const field = fieldRef.current
    if (field === null) return
    const { scrollTop, scrollLeft, clientHeight, scrollHeight, clientWidth, scrollWidth } = field
    const total = Math.max(1, Math.round((scrollHeight - 2 * padding) / lineHeight))
    const first = Math.min(total, Math.round(Math.max(0, scrollTop - padding) / lineHeight) + 1)
    const last = Math.min(total, Math.round((scrollTop + clientHeight - padding) / lineHeight))
    const isWide = scrollLeft + clientWidth < scrollWidth - 1
    setView({ first, last: Math.max(first, last), total, isWide })
    if (shown.current === null) return
    shown.current.scrollTop = scrollTop
    shown.current.scrollLeft = scrollLeft
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: when there is another text
  useLayoutEffect(() => {
    const field = fieldRef.current
    if (field !== null && text !== typed.current) {
      // The browser shows the caret, which is behind a pasted text.
      field.setSelectionRange(0, 0)
      field.scrollTo(0, 0)
    }
    typed.current = text
    look()
  }, [text])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    const field = fieldRef.current
    if (field === null) return
    const observer = new ResizeObserver(look)
    observer.observe(field)
    return () => observer.disconnect()
  }, [])

  const isCut = view !== null && text !== '' && (view.last - view.first + 1 < view.total || view.isWide)
  return (
    <div>
      <div
        className={classes.request}
        data-below={(view !== null && view.last < view.total) || undefined}
        data-wide={view?.isWide || undefined}
      >
        <pre ref={shown} aria-hidden="true">
          {marked(text, draft)}
        </pre>
        <textarea
          ref={fieldRef}
          aria-label="Request"
          aria-describedby={describedBy}
          spellCheck={false}
          rows={6}
          wrap="off"
          placeholder={`${(draft.signatureIn === 'header' && draft.signatureHeader) || 'x-signature'}: …\n\n{"event":"…"}`}
          value={text}
          onPaste={({ currentTarget: { selectionStart, selectionEnd, value } }) => {
            replaces.current = selectionEnd - selectionStart === value.length
          }}
          onChange={event => {
            const { value } = event.currentTarget
            if (!replaces.current) typed.current = value
            replaces.current = false
            onText(value)
          }}
          onScroll={look}
        />
      </div>
      {isCut && (
        <p className={`xs t2 num ${classes.cut}`}>
          {view.last - view.first + 1 < view.total &&
            `Lines ${formatNumber(view.first)} to ${formatNumber(view.last)} of ${formatNumber(view.total)}. `}
          {view.isWide && 'Long lines go on at the right.'}
        </p>
      )}
    </div>
  )
}

/** Characters of a request in which names are marked. */
const longestMarked = 16 * 1024

function marked(text: string, draft: SenderDraft) {
  const textsIn = (wanted: PlaceIn) =>
    [
      { in: draft.signatureIn, text: draft.signatureHeader },
      { in: draft.timestampIn, text: draft.timestampHeader },
      { in: draft.idIn, text: draft.idHeader },
      ...draft.names,
    ].flatMap(place => (place.in === wanted && place.text !== '' ? [place.text] : []))
  const names = textsIn('header').map(name => name.toLowerCase())
  const keys = textsIn('path').map(path => path.split('.').at(-1) ?? '')
  const lines = text.slice(0, longestMarked).split('\n')
  const bodyAt = lines.findIndex((line, index) => index > 0 && line === '')
  const found = lines.map((line, index) => {
    const isBody = bodyAt !== -1 && index > bodyAt
    const key = isBody ? keys.find(one => line.includes(`"${one}"`)) : undefined
    const word = isBody ? (key ?? '') : (line.split(':', 1)[0] ?? '')
    const start = isBody ? line.indexOf(`"${word}"`) + 1 : 0
    const isMarked = isBody ? key !== undefined : names.includes(word.toLowerCase())
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines are never reordered
      <span key={index}>
        {isMarked ? (
          <>
            {line.slice(0, start)}
            <mark>{line.slice(start, start + word.length)}</mark>
            {line.slice(start + word.length)}
          </>
        ) : (
          line
        )}
        {index < lines.length - 1 && '\n'}
      </span>
    )
  })
  return (
    <>
      {found}
      {text.slice(longestMarked)}
      {'\n'}
    </>
  )
}
