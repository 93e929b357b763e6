import { Button } from '@mantine/core'
import { Eye, EyeOff, FileText } from 'lucide-react'
import { useEffect, useId, useImperativeHandle, useMemo, useRef, useState } from 'react'
import { formatBytes, formatCount } from '../../ui/format.ts'
import { type CursorPlace, JsonEditor, type JsonEditorProps } from '../../ui/json-editor.tsx'
import { PagedText } from '../../ui/paged-text.tsx'
import { countLines } from '../../ui/text-pages.ts'
import classes from './import-text.module.css'

/** The length from which a text does not open in the editor, which would take seconds. */
const longestEdited = 1_000_000

type Props = JsonEditorProps & {
  /** Null for a text without a file. */
  readonly fileName: string | null
  readonly onChange: (text: string) => void
}

/** The text of an import in the editor; a large one as a card, with its text for reading. */
export function ImportText({ fileName, ...editor }: Props) {
  return editor.value.length > longestEdited ? (
    <LargeText {...editor} fileName={fileName} />
  ) : (
    <JsonEditor {...editor} />
  )
}

function LargeText(props: Props) {
  const { value, fileName, label, problems = [], onCursor } = props
  const id = useId()
  const [isShown, setIsShown] = useState(false)
  const [place, setPlace] = useState<CursorPlace | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  const lastProblem = useRef(-1)
  const facts = useMemo(
    () =>
      [
        formatBytes(new TextEncoder().encode(value).length),
        /^\s*[{[]/.test(value.slice(0, 1000)) ? 'JSON' : 'Text',
        formatCount(countLines(value), 'line'),
      ].join(' · '),
    [value],
  )
  const [of, setOf] = useState(value)
  if (of !== value) {
    setOf(value)
    setIsShown(false)
    setPlace(null)
  }
  // The editor that it replaces may have had the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each text
  useEffect(() => {
    lastProblem.current = -1
    if (document.activeElement === document.body) button.current?.focus()
  }, [value])

  function goTo(next: CursorPlace): void {
    setIsShown(true)
    setPlace({ ...next })
  }
  useImperativeHandle(props.ref, () => ({
    focus: () => button.current?.focus(),
    goTo,
    format() {},
    nextProblem() {
      if (problems.length === 0) return
      lastProblem.current = (lastProblem.current + 1) % problems.length
      const { line = 1, column = 1 } = problems[lastProblem.current] ?? {}
      goTo({ line, column })
      onCursor?.({ line, column })
    },
  }))
  return (
    <div className={classes.large}>
      <section className={classes.card} aria-label={label}>
        <FileText className="t3" />
        <span className="col grow">
          <span className="w6 cut">{fileName ?? 'Large text'}</span>
          <span className="sm t2 num">{facts}</span>
        </span>
        <Button
          ref={button}
          aria-expanded={isShown}
          aria-describedby={id}
          leftSection={isShown ? <EyeOff /> : <Eye />}
          onClick={() => setIsShown(!isShown)}
        >
          {isShown ? 'Hide text' : 'Show text'}
        </Button>
        <Button variant="subtle" onClick={() => props.onChange('')}>
          Remove
        </Button>
      </section>
      <p id={id} className={`sm t2 ${classes.about}`}>
        Texts over 1 MB don’t open in the editor. “Show text” is read-only, page by page. To edit, change the
        file and choose it again.
      </p>
      {isShown && <PagedText text={value} label="Text" place={place} />}
    </div>
  )
}
