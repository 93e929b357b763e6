import { Button } from '@mantine/core'
import { useMemo } from 'react'
import type { z } from 'zod'
import { JsonEditor } from '../../ui/json-editor.tsx'
import classes from './agent-page.module.css'
import { readJson } from './draft-problems.ts'

/** Edits the object of a page as JSON. A text is applied as soon as it is valid. */
export function ShapeJson<T>(props: {
  readonly label: string
  readonly schema: z.ZodType<T>
  readonly text: string
  /** @param value null while the text is not valid. */
  readonly onChange: (text: string, value: T | null) => void
  /** Replaces an invalid text; null if the text is valid. */
  readonly onReset: (() => void) | null
}) {
  const { label, schema, text, onChange, onReset } = props
  const problems = useMemo(() => {
    const read = readJson(schema, text)
    return 'problems' in read ? read.problems : []
  }, [schema, text])
  return (
    <div className="col fill">
      <JsonEditor
        label={label}
        value={text}
        problems={problems}
        frame={false}
        onChange={next => {
          const read = readJson(schema, next)
          onChange(next, 'value' in read ? read.value : null)
        }}
      />
      {onReset !== null && (
        <div className={classes.jsonFoot} role="status">
          <span className="sm bad">This JSON is not valid yet, so it is not applied.</span>
          <span className="push" />
          <Button size="xs" onClick={onReset}>
            Back to the last valid one
          </Button>
        </div>
      )}
    </div>
  )
}
