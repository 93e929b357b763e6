import { Button } from '@mantine/core'
import { useState } from 'react'
import { z } from 'zod'
import { WorkflowFields } from '#shared/model/workflow.ts'
import { type EditorProblem, JsonEditor } from '../../../ui/json-editor.tsx'
import classes from './builder.module.css'
import { draftOf, type WorkflowDraft } from './draft.ts'

/** The workflow as JSON. Changes apply as soon as they are valid. */
export function JsonForm(props: {
  readonly draft: WorkflowDraft
  readonly onChange: (draft: WorkflowDraft) => void
  /** The text that was typed last, if it is not a valid workflow. */
  readonly brokenText: string | null
  readonly onBroken: (text: string | null) => void
}) {
  const { draft, onChange, brokenText, onBroken } = props
  const [text, setText] = useState(() => brokenText ?? JSON.stringify(draft, null, 2))
  // Undo, redo and what is saved elsewhere replace the text, unless it says the same.
  const [known, setKnown] = useState(draft)
  if (known !== draft) {
    setKnown(draft)
    const read = readDraft(text)
    if ('draft' in read && JSON.stringify(read.draft) !== JSON.stringify(draft))
      setText(JSON.stringify(draft, null, 2))
  }
  const read = readDraft(text)
  const problems = 'problems' in read ? read.problems : noProblems
  const isBroken = 'problems' in read
  return (
    <div className="col fill">
      <JsonEditor
        label="Workflow as JSON"
        value={text}
        problems={problems}
        frame={false}
        onChange={next => {
          setText(next)
          const now = readDraft(next)
          onBroken('problems' in now ? next : null)
          if ('draft' in now) {
            setKnown(now.draft)
            onChange(now.draft)
          }
        }}
      />
      {isBroken && (
        <div className={classes.jsonFoot}>
          <span className="sm bad">This is not a valid workflow yet, so it is not applied.</span>
          <span className="push" />
          <Button
            size="xs"
            onClick={() => {
              setText(JSON.stringify(draft, null, 2))
              onBroken(null)
            }}
          >
            Back to the last valid one
          </Button>
        </div>
      )}
    </div>
  )
}

const noProblems: readonly EditorProblem[] = []
const Read = z.strictObject(WorkflowFields.shape).omit({ enabled: true })

function readDraft(
  text: string,
): { readonly draft: WorkflowDraft } | { readonly problems: readonly EditorProblem[] } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The editor explains the syntax error.
    return { problems: noProblems }
  }
  const shape = Read.safeParse(value)
  const { data, error } = shape.success ? WorkflowFields.safeParse(shape.data) : shape
  if (error === undefined && data !== undefined) return { draft: draftOf(data) }
  const issues = error?.issues ?? []
  return {
    problems: issues.map(({ path, message }) => ({
      message: path.length === 0 ? message : `\`${path.join('.')}\`: ${message}`,
      severity: 'error',
    })),
  }
}
