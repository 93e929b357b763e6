import { notifications } from '@mantine/notifications'
import { CircleCheck, CircleHelp, CircleX, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTransientFocus } from './focus.ts'
import { KeyButton } from './keys.tsx'
import { problemOf } from './problem.ts'

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
  readonly action?: ToastAction | undefined
  readonly icon: ReactNode
  /** Milliseconds until it closes by itself. */
  readonly autoClose: number | false
}

/** The part of a toast below its title. */
function Content(props: Pick<Toast, 'message' | 'code' | 'action'> & { readonly close: () => void }) {
  const { message, code, action, close } = props
  const transient = useTransientFocus()
  return (
    <div {...transient}>
      {message !== undefined && <div className="sm t2">{message}</div>}
      {code !== undefined && <code className="t3 xs">{code}</code>}
      {action !== undefined && (
        <div className="row" style={{ marginTop: 8 }}>
          <KeyButton
            size="xs"
            keys={action.keys}
            onClick={() => {
              close()
              action.run()
            }}
          >
            {action.label}
          </KeyButton>
        </div>
      )}
    </div>
  )
}

/** @returns a function that closes it. */
function show({ message, code, action, ...toast }: Toast): () => void {
  const id = crypto.getRandomValues(new Uint32Array(2)).join('-')
  const close = () => notifications.hide(id)
  notifications.show({
    ...toast,
    id,
    // One that stays needs attention.
    role: toast.autoClose === false ? 'alert' : 'status',
    message: <Content message={message} code={code} action={action} close={close} />,
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
  })
}

/**
 * Says what failed and why; stays until it is dismissed.
 *
 * @param retry adds a button “Try again”.
 * @returns a function that closes it.
 */
export function toastProblem(title: string, error: unknown, retry?: () => void): () => void {
  const { message, code } = problemOf(error)
  return show({
    title,
    message,
    code,
    action: retry && { label: 'Try again', run: retry },
    icon: <CircleX size={16} className="bad" />,
    autoClose: false,
  })
}

/** Says what failed, unless the form shows it beside its fields. */
export function toastUnlessInvalid(title: string, error: unknown, retry?: () => void): void {
  if (problemOf(error).issues.length === 0) toastProblem(title, error, retry)
}

/** Asks the user; stays until it is closed. @param answers the buttons. @returns a function that closes it. */
export function toastQuestion(title: string, answers: ReactNode): () => void {
  return show({
    title,
    message: answers,
    icon: <CircleHelp size={16} className="warn" />,
    autoClose: false,
  })
}

/** Says for some milliseconds what the user may want to go on with. @param action leads there. */
export function toastKept(title: string, message: string, forMs: number, action?: ToastAction): void {
  show({ title, message, action, icon: <CircleHelp size={16} className="t3" />, autoClose: forMs })
}

/** Says what was deleted and offers to undo it for some milliseconds. @returns a function that closes it. */
export function toastUndo(
  title: string,
  undo: () => void,
  { forMs, hasKeys }: { readonly forMs: number; readonly hasKeys: boolean },
): () => void {
  return show({
    title,
    action: { label: 'Undo', run: undo, ...(hasKeys && { keys: 'mod+z' }) },
    icon: <Undo2 size={16} className="t3" />,
    autoClose: forMs,
  })
}
