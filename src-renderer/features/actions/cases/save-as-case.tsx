import { Plus } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import type { Action } from '#shared/model/action.ts'
import type { ReceivedResponse, TestRecord } from '#shared/model/call.ts'
import { client } from '../../../client/client.ts'
import { exactArguments } from '../../../client/exact-arguments.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { formatCount } from '../../../ui/format.ts'
import { dotPath, nodeAt, readJsonNodes } from '../../../ui/json-nodes.ts'
import { KeyButton } from '../../../ui/keys.tsx'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import { toastDone } from '../../../ui/toasts.tsx'
import { proposeMapping } from '../propose-mapping.ts'
import { type CaseDraft, freeName, inputOfDraft } from './case-draft.ts'
import { CaseForm } from './case-form.tsx'
import { fieldsOf } from './kept-answer.ts'
import { proposeRules, sentValues } from './propose-rules.ts'
import { refreshCases } from './use-case-commands.ts'
import type { Cases } from './use-cases.ts'

/** Marks a masked secret in a stored argument. */
const mask = '••••'
/** How many fields of an answer the form offers to add. */
const mostOffered = 200
/** How many fields are proposed of an answer that has none of the mapped ones. */
const mostTelling = 5

/** Whether a test can be saved as a case: it is shown with its answer, and perhaps its dialog is open. */
export type SavingState = 'off' | 'ready' | 'open'

type Answered = {
  readonly action: Action
  readonly record: TestRecord
  readonly response: ReceivedResponse
}

/** The button that keeps a test as a case, and its dialog. */
export function SaveAsCase(props: {
  /** The test that is shown, if it has an answer. */
  readonly answered: Answered | null
  /** The field that is selected in the answer; null for none. */
  readonly selectedPath: string | null
  readonly cases: Cases
  readonly state: SavingState
  readonly onChange: (state: SavingState) => void
}) {
  const { answered, state, onChange } = props
  const isOff = answered === null
  const open = () => onChange('open')
  const setReady = useEffectEvent(() => onChange(isOff ? 'off' : 'ready'))
  const leave = useEffectEvent(() => onChange('off'))
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when there is an answer, or none any more
  useEffect(() => setReady(), [isOff])
  useEffect(() => () => leave(), [])
  useShortcut({ keys: 'mod+shift+s', label: 'Save the test as a case', group: 'Action' }, open, !isOff)
  return (
    <>
      <KeyButton size="xs" icon={Plus} keys="mod+shift+s" disabled={isOff} onClick={open}>
        Save as case
      </KeyButton>
      {state === 'open' && answered !== null && (
        <Form {...props} answered={answered} onClose={() => onChange('ready')} />
      )}
    </>
  )
}

function Form(
  props: Pick<Parameters<typeof SaveAsCase>[0], 'selectedPath' | 'cases'> & {
    readonly answered: Answered
    readonly onClose: () => void
  },
) {
  const { answered, selectedPath, cases, onClose } = props
  const { action, record, response } = answered
  const { connectionId } = useCurrentConnection()
  const { actionId } = action
  const given = exactArguments(record)
  const argumentsText = JSON.stringify(given)
  const answer = fieldsOf(response)
  const taken = new Set(cases.of(actionId).map(({ name }) => name))

  function initialDraft(): CaseDraft {
    const sent = sentValues(argumentsText)
    const mapped = proposeRules(Object.values(action.responseMapping ?? {}), answer, sent)
    const telling = mapped.length > 0 ? [] : proposeMapping(response.body).slice(0, mostTelling)
    return {
      name: freeName(proposedName(action.name, given, response.status), taken),
      argumentsText,
      isStatusOn: true,
      status: String(response.status),
      rules: [
        ...mapped,
        ...proposeRules(
          telling.map(({ path }) => path),
          answer,
          sent,
        ),
      ],
    }
  }

  async function save(draft: CaseDraft): Promise<void> {
    const { name } = await client.cases.create({ connectionId, actionId, ...inputOfDraft(draft) })
    toastDone(`Case “${name}” saved`)
    await refreshCases()
  }

  return (
    <CaseForm
      title="Save as case"
      storedAs={`save-case/${actionId}/${record.callId}`}
      initial={initialDraft()}
      submitLabel="Save case"
      hasArguments={false}
      answer={answer}
      paths={[...(selectedPath === null ? [] : [selectedPath]), ...pathsOf(response.body)]}
      hint="Proposed: status and mapped fields. What changes with each call is only checked to exist."
      foot={`${formatCount(Object.keys(given).length, 'argument')} as sent`}
      warning={
        argumentsText.includes(mask)
          ? 'An argument had the value of a variable, which no case keeps. Edit the case after you have saved it.'
          : null
      }
      onSave={save}
      onClose={onClose}
    />
  )
}

/** Returns the name of an action with its first short argument, or with the status of a refusal. */
function proposedName(name: string, given: Readonly<Record<string, unknown>>, status: number): string {
  const first = Object.values(given)
    .map(value => (typeof value === 'string' ? value : JSON.stringify(value)))
    .find(text => text !== '' && text.length <= 30 && !text.includes(mask))
  return [name, first, status < 200 || status >= 300 ? status : undefined]
    .filter(part => part !== undefined)
    .join(', ')
}

/** Returns the dot-paths of single values and lists of an answer, in its order. */
function pathsOf(body: string): string[] {
  const nodes = readJsonNodes(body)
  if (nodes === null) return []
  const paths = new Set<string>()
  for (let index = 1; index < nodes.kinds.length && paths.size < mostOffered; index++) {
    if (nodes.kinds[index] === 'object') continue
    const path = dotPath(nodeAt(nodes, index).steps)
    if (path !== null) paths.add(path)
  }
  return [...paths]
}
