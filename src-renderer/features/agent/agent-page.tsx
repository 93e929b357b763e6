import { SegmentedControl, Skeleton } from '@mantine/core'
import { Copy } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { type AgentPagePath, agentPages } from '../../agent-pages.ts'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { Delayed } from '../../ui/delayed.tsx'
import type { Fields } from '../../ui/draft/draft.ts'
import { useDraft } from '../../ui/draft/use-draft.tsx'
import { ErrorState } from '../../ui/empty-state.tsx'
import { KeyButton } from '../../ui/keys.tsx'
import { optionsOf } from '../../ui/options-of.ts'
import type { Hints } from '../../ui/page.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { toastDone } from '../../ui/toasts.tsx'
import { AgentFrame, type SidePane } from './agent-frame.tsx'
import classes from './agent-page.module.css'
import { type Problems, problemsOf } from './draft-problems.ts'
import { ShapeJson } from './shape-json.tsx'
import type { Scope } from './use-agent.ts'
import type { Saved } from './use-shapes.ts'

/** The props of the form and the pane of a page. */
export type AgentForm<T> = {
  readonly draft: T
  /** Replaces some fields of the draft. A value may be invalid: an empty number field gives `NaN`. */
  readonly change: (fields: Partial<T>) => void
  /** Problems that the schema or the service found, by path: `problems['workingHours.monday.start']`. */
  readonly problems: Problems
}

type AgentPageProps<T extends object> = {
  readonly path: AgentPagePath
  /** From `useShape` or `useTextShapes`. */
  readonly saved: Saved<T>
  /** The heading of the form and the sentence below it. */
  readonly heading: string
  readonly intro?: string
  /** Whether the form fills the page and scrolls its own parts. Without an intro, its heading is not shown. */
  readonly isFilled?: boolean
  /** The fields with their names in “Unsaved: header colours, corner”. */
  readonly fields: Fields<T>
  /** Says what changed if there is more to say: “silence timeout 500 → 700 ms”. Null for the names. */
  readonly summary?: (draft: T, changed: readonly string[], saved: T) => string | null
  /** Returns whether a problem is of a new entry that nobody has edited. It is then shown after an attempt to save. */
  readonly isUntouched?: (path: string, draft: T) => boolean
  /** More buttons in the bar, beside the form. */
  readonly actions?: (form: AgentForm<T>) => ReactNode
  /** The page's own shortcuts; those of the frame are added. */
  readonly hints?: Hints | ((form: AgentForm<T>) => Hints)
  readonly foot?: (form: AgentForm<T>) => ReactNode
  readonly pane?: Pick<SidePane, 'name' | 'size'> & { readonly content: (form: AgentForm<T>) => ReactNode }
  readonly children: (form: AgentForm<T>) => ReactNode
}

/**
 * A page of Agent that edits an object as a form or as JSON, checks it while it is edited, and saves it. To add a page,
 * add it to `agentPages` and to the routes:
 *
 *     export function VoicePage() {
 *       return (
 *         <AgentPage
 *           path="/agent/voice"
 *           saved={useShape('voice')}
 *           heading="Voice"
 *           intro="How the agent sounds on a call."
 *           fields={{ voice: 'voice', silenceTimeout: 'silence timeout', … }}
 *           pane={{ name: 'Preview', size: 436, content: ({ draft }) => <Preview voice={draft} /> }}
 *         >
 *           {({ draft, change, problems }) => (
 *             <AgentSection title="Sound">
 *               <TextInput value={draft.voice} error={problems.voice} onChange={…} />
 *             </AgentSection>
 *           )}
 *         </AgentPage>
 *       )
 *     }
 *
 * The pane scrolls by itself only if its content does. State that the form and the pane share belongs to the page's
 * component.
 */
export function AgentPage<T extends object>(props: AgentPageProps<T>) {
  const { value, error, retry, scope } = props.saved
  if (value !== undefined && scope !== null)
    return <Loaded key={`${scope.workspaceId}/${scope.agentId}`} {...props} value={value} scope={scope} />
  const { path } = props
  return (
    <AgentFrame path={path} hints={{}}>
      {error !== null && error !== undefined ? (
        <ErrorState title="The agent could not be loaded" error={error} onRetry={retry} />
      ) : (
        <Delayed>
          <div className={classes.content} aria-busy="true">
            <Skeleton width={160} height={18} />
            <Skeleton width={320} height={10} mt={10} />
            <Skeleton height={1} mt={26} />
            {['a', 'b', 'c', 'd'].map(key => (
              <Skeleton key={key} height={32} mt={20} />
            ))}
          </div>
        </Delayed>
      )}
    </AgentFrame>
  )
}

/** A text that was typed as JSON, and the object that it contains; null if it is not valid. */
type Typed<T> = { readonly text: string; readonly value: T | null }

const formatJson = (value: unknown) => JSON.stringify(value, null, 2)

function Loaded<T extends object>(props: AgentPageProps<T> & { readonly value: T; readonly scope: Scope }) {
  const { path, saved, value, heading, intro, fields, hints = {}, foot, pane, scope } = props
  const title = agentPages.find(page => page.path === path)?.title ?? heading
  const name = title.toLowerCase()
  const [look, setLook] = useState<'form' | 'json'>('form')
  const [typed, setTyped] = useState<Typed<T> | null>(null)
  const isBroken = typed !== null && typed.value === null
  const { draft, change, problems, saveBar } = useDraft({
    storedAs: `agent${path}/${scope.workspaceId}/${scope.agentId}`,
    fields,
    saved: value,
    draftOf: (shape: T) => shape,
    read: saved.schema.parse,
    validate: one => problemsOf(saved.schema, one),
    isLive: true,
    isUntouched: props.isUntouched,
    isBlocked: isBroken,
    save: saved.save,
    onSaved: () => toastDone(`${title} saved`),
    onDiscard: () => setTyped(null),
    name: `${name} of the agent ${scope.agentId}`,
    failed: `${title} was not saved`,
    summary: (one, changed) => props.summary?.(one, changed, value) ?? null,
  })
  const json = formatJson(draft)
  // The text keeps its layout as long as it says the same.
  const text = typed !== null && (isBroken || formatJson(typed.value) === json) ? typed.text : json
  const copy = () => void copyWithToast(look === 'json' ? text : json, 'JSON')
  useShortcut({ keys: 'c', label: 'Copy JSON', group: 'Agent' }, copy)
  const form = { draft, change, problems }
  const head = (
    <div className={classes.head}>
      <h2>{heading}</h2>
      <p className="t2">{intro}</p>
    </div>
  )
  return (
    <AgentFrame
      path={path}
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label="Edit as"
            disabled={isBroken}
            value={look}
            data={optionsOf({ form: 'Form', json: 'JSON' })}
            onChange={next => {
              setTyped(null)
              setLook(next)
            }}
          />
          <KeyButton keys="c" icon={Copy} onClick={copy}>
            Copy JSON
          </KeyButton>
        </>
      }
      formActions={look === 'form' && props.actions?.(form)}
      pane={pane && { ...pane, content: pane.content(form) }}
      hints={{
        'mod+s': 'save',
        ...(typeof hints === 'function' ? hints(form) : hints),
        c: 'copy JSON',
      }}
      foot={foot?.(form)}
    >
      {look === 'json' ? (
        <ShapeJson
          label={`${title} as JSON`}
          schema={saved.schema}
          text={text}
          onChange={(next, parsed) => {
            setTyped({ text: next, value: parsed })
            if (parsed !== null) change(parsed)
          }}
          onReset={isBroken ? () => setTyped(null) : null}
        />
      ) : props.isFilled === true ? (
        <section className={classes.filled} aria-label={heading}>
          {intro !== undefined && head}
          {props.children(form)}
        </section>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        <section className={classes.content} tabIndex={0} aria-label={heading} data-scroll-room>
          {head}
          {props.children(form)}
        </section>
      )}
      {saveBar}
    </AgentFrame>
  )
}

/** A part of a form, with a line above it. */
export function AgentSection(props: { readonly title?: string; readonly children: ReactNode }) {
  const id = useId()
  const { title, children } = props
  return (
    <section className={classes.section} aria-labelledby={title === undefined ? undefined : id}>
      {title !== undefined && (
        <h3 id={id} className="h3">
          {title}
        </h3>
      )}
      {children}
    </section>
  )
}
