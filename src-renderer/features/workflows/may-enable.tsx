import type { WorkflowIssue } from '#shared/model/workflow-issue.ts'
import { confirmDialog } from '../../ui/confirm-dialog.tsx'
import { formatCount } from '../../ui/format.ts'

const mostListed = 5

type Found = Pick<WorkflowIssue, 'message' | 'severity'> & { readonly stepKey?: string | null }

/**
 * Returns whether a workflow may be enabled: at once without errors, otherwise when the user has said so.
 *
 * @param found what is wrong with it; warnings do not count.
 */
export function mayEnable(name: string, found: readonly Found[]): Promise<boolean> {
  const errors = found.filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return Promise.resolve(true)
  return new Promise(resolve =>
    confirmDialog({
      title: `Enable ${name} with ${formatCount(errors.length, 'problem')}?`,
      children: (
        <>
          <p>Its runs will fail because of these problems:</p>
          <ul>
            {errors.slice(0, mostListed).map(({ stepKey, message }) => (
              <li key={`${stepKey} ${message}`}>
                {stepKey != null && (
                  <>
                    <code>{stepKey}</code>:{' '}
                  </>
                )}
                {message}
              </li>
            ))}
          </ul>
          {errors.length > mostListed && <p>And {errors.length - mostListed} more.</p>}
        </>
      ),
      confirm: 'Enable anyway',
      cancel: 'Leave it disabled',
      onConfirm: () => resolve(true),
      onClose: () => resolve(false),
    }),
  )
}
