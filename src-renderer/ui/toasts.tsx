import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { CircleCheck, CircleHelp, CircleX, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { problemOf } from '../client/problem.ts'
import { useTransientFocus } from './focus.ts'
import { Keys } from './keys.tsx'

type ToastAction = {
  readonly label: string
  readonly run: () => void
  /** The shortcut that does the same. */
  readonly keys?: string
}

const successMs = 4000
/** Milliseconds for which a deletion can be undone from its toast. */
export const undoMs = 10_000

type Toast = {
  readonly title: string
  readonly message?: ReactNode
  readonly code?: string
  readonly actions?: readonly ToastAction[]
  readonly icon: ReactNode
  /** Milliseconds until it closes by itself. */
  readonly autoClose: number | false
  readonly role: 'status' | 'alert'
}

/** The part of a toast below its title. */
function Content(props: Pick<Toast, 'message' | 'code' | 'actions'> & { readonly close: () => void }) {
  const { message, code, actions = [], close } = props
  const transient = useTransientFocus()
  return (
    <div {...transient}>
      {message !== undefined && <div className="sm t2">{message}</div>}
      {code !== undefined && <code className="t3 xs">{code}</code>}
      {actions.length > 0 && (
        <div className="row" style={{ marginTop: 8 }}>
          {actions.map(({ label, run, keys }) => (
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

/** @returns a function that closes it. */
function show({ message, code, actions, ...toast }: Toast): () => void {
  const id = crypto.getRandomValues(new Uint32Array(2)).join('-')
  const close = () => notifications.hide(id)
  notifications.show({
    ...toast,
    id,
    message: <Content message={message} code={code} actions={actions} close={close} />,
    withBorder: false,
    closeButtonProps: { 'aria-label': 'Dismiss' },
  })
  return close
}

/**
 * Says for four seconds that something worked.
 *
 * @param title gives the kind of thing and its name in quotation marks: Workspace “Southwind” created.
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

/** Says what failed and why; stays until it is dismissed. */
export function toastProblem(title: string, error: unknown, actions: readonly ToastAction[] = []): void {
  const { message, code } = problemOf(error)
  show({
    title,
    message,
    code,
    actions,
    icon: <CircleX size={16} className="bad" />,
    autoClose: false,
    role: 'alert',
  })
}

/** Says what failed, unless the form shows it beside its fields. */
export function toastUnlessInvalid(title: string, error: unknown, actions?: readonly ToastAction[]): void {
  if (problemOf(error).issues.length === 0) toastProblem(title, error, actions)
}

/** Says that something waits for the user; stays until it is closed. @returns a function that closes it. */
export function toastQuestion(title: string, message: ReactNode, action: ToastAction): () => void {
  return show({
    title,
    message,
    actions: [action],
    icon: <CircleHelp size={16} className="warn" />,
    autoClose: false,
    role: 'alert',
  })
}

/** Says what was deleted and offers to undo it for some milliseconds. @returns a function that closes it. */
export function toastUndo(
  title: string,
  undo: () => void,
  { forMs, hasKeys }: { readonly forMs: number; readonly hasKeys: boolean },
): () => void {
  return show({
    title,
    actions: [{ label: 'Undo', run: undo, ...(hasKeys && { keys: 'mod+z' }) }],
    icon: <Undo2 size={16} className="t3" />,
    autoClose: forMs,
    role: 'status',
  })
}
