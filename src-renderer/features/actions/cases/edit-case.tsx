import { useState } from 'react'
import type { Action } from '#shared/model/action.ts'
import { Case } from '#shared/model/case.ts'
import { inputsOf } from '#shared/model/parameter.ts'
import { client } from '../../../client/client.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { formatJson } from '../../../ui/format-json.ts'
import { problemOf } from '../../../ui/problem.ts'
import { exampleArguments } from '../preview/example-arguments.ts'
import { type CaseDraft, draftOf, freeName, inputOfDraft } from './case-draft.ts'
import { CaseForm } from './case-form.tsx'
import { useKeptAnswer } from './kept-answer.ts'
import { refreshCases } from './use-case-commands.ts'

/** Changes a case, or makes a new one. */
export function EditCase(props: {
  readonly action: Action
  /** Null for a new one. */
  readonly edited: Case | null
  /** Those of the action. */
  readonly cases: readonly Case[]
  readonly onSaved: (caseId: string) => void
  readonly onClose: () => void
}) {
  const { action, edited, cases, onSaved, onClose } = props
  const { actionId } = action
  const { connectionId } = useCurrentConnection()
  const answer = useKeptAnswer(edited?.last?.callId ?? null)
  /** The version that the draft is a change to. */
  const [updatedAt, setUpdatedAt] = useState(edited?.updatedAt)
  const [warning, setWarning] = useState<string | null>(null)

  function initialDraft(): CaseDraft {
    if (edited !== null) {
      const draft = draftOf(edited)
      return { ...draft, argumentsText: formatJson(draft.argumentsText) }
    }
    const given = exampleArguments(inputsOf(action.parameters))
    return {
      name: freeName(`Case ${cases.length + 1}`, new Set(cases.map(({ name }) => name))),
      argumentsText: formatJson(JSON.stringify(given)),
      isStatusOn: true,
      status: '2xx',
      rules: [],
    }
  }

  async function save(draft: CaseDraft): Promise<void> {
    const input = inputOfDraft(draft)
    try {
      const saved =
        edited === null
          ? await client.cases.create({ connectionId, actionId, ...input })
          : await client.cases.update({
              ...{ connectionId, actionId, caseId: edited.caseId, ...input },
              ...(updatedAt !== undefined && { ifUpdatedAt: updatedAt }),
            })
      await refreshCases()
      onSaved(saved.caseId)
    } catch (error) {
      const { data: current } = Case.safeParse(problemOf(error).current)
      if (current !== undefined) {
        setUpdatedAt(current.updatedAt)
        setWarning('Somebody has changed this case meanwhile. Save again to replace their version.')
      }
      throw error
    }
  }

  return (
    <CaseForm
      title={edited === null ? 'New case' : 'Edit case'}
      storedAs={edited === null ? `new-case/${actionId}` : `case/${edited.caseId}`}
      initial={initialDraft()}
      submitLabel={edited === null ? 'Create case' : 'Save case'}
      hasArguments
      answer={answer}
      paths={[]}
      warning={warning}
      onSave={save}
      onClose={onClose}
    />
  )
}
