import { Menu } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useCallback, useState } from 'react'
import { formatCount } from '../../../ui/format.ts'
import { KeyButton } from '../../../ui/keys.tsx'
import { MasterDetail } from '../../../ui/master-detail.tsx'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import { type AgentForm, AgentPage } from '../agent-page.tsx'
import { type TextShapes, useTextShapes } from '../use-shapes.ts'
import {
  type Entry,
  existing,
  isUntouched,
  knownVariables,
  type ListName,
  pathOf,
  withNew,
} from './entries.ts'
import { ActionEditor, ResponseEditor, SmsEditor } from './entry-editor.tsx'
import { EntryList } from './entry-list.tsx'
import { TryPane } from './try-pane.tsx'

const words = {
  'conversation-actions': 'conversation actions',
  'text-responses': 'text responses',
  'sms-keywords': 'SMS keywords',
}

/** The conversation actions, text responses and SMS keywords of an agent, with a sentence to try them. */
export function ActionsPage() {
  const [selected, setSelected] = useState<Entry>({ kind: 'conversation-actions', index: 0 })
  const [isListShown, setIsListShown] = useState(true)
  const [sentence, setSentence] = useState('')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const select = useCallback((entry: Entry) => {
    setSelected(entry)
    setIsListShown(false)
  }, [])
  return (
    <AgentPage
      path="/agent/actions"
      saved={useTextShapes()}
      heading="Actions"
      isFilled
      fields={words}
      isUntouched={isUntouched}
      hints={{ n: 'new', '{': 'insert variable', 'mod+enter': 'try a sentence' }}
      actions={({ draft, change }) => (
        <NewMenu
          near={existing(draft, selected).kind}
          onNew={kind => {
            change(withNew(draft, kind))
            select({ kind, index: draft[kind].length })
          }}
        />
      )}
      foot={({ draft }) =>
        `${formatCount(draft['conversation-actions'].length, 'action')} · ${formatCount(draft['text-responses'].length, 'response')} · 3 keywords`
      }
      pane={{
        name: 'Try',
        size: 326,
        content: ({ draft }) => {
          const entry = existing(draft, selected)
          return (
            <TryPane
              draft={draft}
              sentence={sentence}
              onSentence={setSentence}
              values={values}
              onValues={setValues}
              response={entry.kind === 'text-responses' ? entry.index : null}
            />
          )
        },
      }}
    >
      {form => (
        <Entries
          {...form}
          selected={selected}
          onSelect={select}
          isListShown={isListShown}
          onShowList={setIsListShown}
          values={values}
        />
      )}
    </AgentPage>
  )
}

/** A menu that adds an entry. Its first choice is the group that is open. */
function NewMenu(props: { readonly near: Entry['kind']; readonly onNew: (kind: ListName) => void }) {
  const [isOpen, setIsOpen] = useState(false)
  useShortcut({ keys: 'n', label: 'New action or response', group: 'Actions' }, () => setIsOpen(true))
  const first = props.near === 'text-responses' ? 'text-responses' : 'conversation-actions'
  return (
    <Menu
      position="bottom-end"
      width={200}
      opened={isOpen}
      onChange={setIsOpen}
      // The new entry takes the focus.
      returnFocus={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <KeyButton keys="n" icon={Plus}>
          New
        </KeyButton>
      </Menu.Target>
      <Menu.Dropdown>
        {(['conversation-actions', 'text-responses'] as const).map(kind => (
          <Menu.Item
            key={kind}
            data-autofocus={kind === first || undefined}
            onClick={() => props.onNew(kind)}
          >
            {kind === 'text-responses' ? 'Text response' : 'Conversation action'}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function Entries(
  props: AgentForm<TextShapes> & {
    readonly selected: Entry
    readonly onSelect: (entry: Entry) => void
    /** Whether a narrow window shows the list, not the editor. */
    readonly isListShown: boolean
    readonly onShowList: (isShown: boolean) => void
    readonly values: Readonly<Record<string, string>>
  },
) {
  const { draft, change, problems, onSelect, isListShown, onShowList, values } = props
  const entry = existing(draft, props.selected)
  const problem = (field: string) => problems[`${pathOf(entry)}.${field}`]
  return (
    <MasterDetail
      name="agent:actions"
      lead={isListShown ? 'list' : 'editor'}
      back={{ label: 'Back to the list', group: 'Actions', go: () => onShowList(true) }}
      panes={[
        {
          id: 'list',
          size: 282,
          content: <EntryList draft={draft} problems={problems} selected={entry} onSelect={onSelect} />,
        },
        { id: 'editor', content: editor() },
      ]}
    />
  )

  function editor() {
    if (entry.kind === 'sms-keywords') {
      const { word } = entry
      const keywords = draft['sms-keywords']
      return (
        <SmsEditor
          key={word}
          word={word}
          text={keywords[word]}
          onChange={text => change({ 'sms-keywords': { ...keywords, [word]: text } })}
          problem={problems[pathOf(entry)]}
        />
      )
    }
    const { kind, index } = entry
    const shared = { problem, onDelete: () => change({ [kind]: draft[kind].toSpliced(index, 1) }) }
    if (kind === 'text-responses') {
      const response = draft[kind][index]
      return (
        response && (
          <ResponseEditor
            key={index}
            {...shared}
            value={response}
            names={knownVariables(draft)}
            onChange={next => change({ [kind]: draft[kind].with(index, next) })}
          />
        )
      )
    }
    const action = draft[kind][index]
    return (
      action && (
        <ActionEditor
          key={index}
          {...shared}
          value={action}
          values={values}
          onChange={next => change({ [kind]: draft[kind].with(index, next) })}
        />
      )
    )
  }
}
