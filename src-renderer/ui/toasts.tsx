import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { CircleCheck, CircleX, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { problemOf } from '../client/problem.ts'
import { useTransientFocus } from './focus.ts'
import { Keys } from './keys.tsx'

type Way = {
  readonly label: string
  readonly run: () => void
  /** The shortcut that does the same. */
  readonly keys?: string
}

const successMs = 4000
/** How long a deletion can be undone from its toast, in milliseconds (design: Toast). */
export const undoMs = 10_000

type Said = {
  readonly title: string
  readonly message?: ReactNode
  readonly code?: string | undefined
  readonly ways?: readonly Way[] | undefined
  readonly icon: ReactNode
  /** After so many milliseconds it goes by itself. */
  readonly autoClose: number | false
  readonly role: 'status' | 'alert'
}

/** What is said below the title. */
function Message(props: Pick<Said, 'message' | 'code' | 'ways'> & { readonly close: () => void }) {
  const { message, code, ways = [], close } = props
  const passing = useTransientFocus()
  return (
    <div {...passing}>
      {message !== undefined && <div className="sm t2">{message}</div>}
      {code !== undefined && <code className="t3 xs">{code}</code>}
      {ways.length > 0 && (
        <div className="row" style={{ marginTop: 8 }}>
          {ways.map(({ label, run, keys }) => (
            <Button
              key={label}
              size="xs"
              rightSection={keys === undefined ? undefined : <Keys keys={keys} />}
              onClick={() => {
                close()
                run()
              }}
            >
              {label}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}

/** @returns closes it. */
function show({ message, code, ways, ...said }: Said): () => void {
  const id = crypto.getRandomValues(new Uint32Array(2)).join('-')
  const close = () => notifications.hide(id)
  notifications.show({
    ...said,
    id,
    message: <Message message={message} code={code} ways={ways} close={close} />,
    withBorder: false,
    closeButtonProps: { 'aria-label': 'Dismiss' },
  })
  return close
}

/**
 * Says that something worked, for four seconds.
 *
 * @param title names a thing by its kind and, in quotation marks, its name: Workspace “Southwind” created.
 */
export function toastDone(title: string, message?: ReactNode): void {
  show({
    title,
    message,
    icon: <CircleCheck size={16} className="ok" />,
    autoClose: successMs,
    role: 'status',
  })
}

/** Says what failed, why, and the way out; stays until it is dismissed. */
export function toastProblem(title: string, error: unknown, ways: readonly Way[] = []): void {
  const { message, code } = problemOf(error)
  show({
    title,
    message,
    code,
    ways,
    icon: <CircleX size={16} className="bad" />,
    autoClose: false,
    role: 'alert',
  })
}

/** Says what failed, unless the form says it beside its fields. */
export function toastUnlessInvalid(title: string, error: unknown, ways?: readonly Way[]): void {
  if (problemOf(error).issues.length === 0) toastProblem(title, error, ways)
}

/** Says what was deleted and offers to bring it back, for so many milliseconds. @returns closes it. */
export function toastUndo(title: string, undo: () => void, forMs: number): () => void {
  return show({
    title,
    ways: [{ label: 'Undo', run: undo, keys: 'mod+z' }],
    icon: <Undo2 size={16} className="t3" />,
    autoClose: forMs,
    role: 'status',
  })
}
