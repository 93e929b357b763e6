import { Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { TranslationKey } from '#shared/model/platform/language.ts'
import { joinKey, languageName } from '#shared/platform/translations.ts'
import { useStoredFields } from '../../../ui/draft/use-stored-fields.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { useAgent } from '../use-agent.ts'
import { LanguageSelect } from './language-select.tsx'

/** Returns what is wrong with the name of a text, undefined if nothing is. */
function nameProblem(name: string, isTaken: boolean): string | undefined {
  if (name === '') return 'Write a name, such as greeting.'
  if (isTaken) return 'There is a text with this name.'
  return TranslationKey.safeParse(name).error?.issues[0]?.message
}

type Names = { readonly has: (name: string) => boolean }

function NameField(props: {
  readonly name: string
  readonly onName: (name: string) => void
  readonly problem: string | false | undefined
  readonly placeholder?: string
  readonly description?: string
}) {
  const { name, onName, problem, ...hints } = props
  return (
    <TextInput
      label="Name"
      classNames={{ input: 'mono' }}
      {...hints}
      data-autofocus
      value={name}
      onChange={event => onName(event.currentTarget.value)}
      error={problem}
    />
  )
}

const nameField = { name: 'name' }
const textFields = { ...nameField, text: 'text' }

/** Names the open agent in what the browser stores. */
function useStoredScope(): string {
  const { scope } = useAgent()
  return `${scope?.workspaceId}/${scope?.agentId}`
}

/** Asks for the name of a new text and for the text itself in the primary language. */
export function AddTextDialog(props: {
  readonly primaryLanguage: string
  readonly names: Names
  readonly onAdd: (name: string, text: string) => void
  readonly onClose: () => void
}) {
  const { primaryLanguage, names, onAdd, onClose } = props
  const storedAs = `new-text/${useStoredScope()}`
  const { values, change, note } = useStoredFields(storedAs, textFields, { name: '', text: '' })
  const { name, text } = values
  const [isAttempted, setIsAttempted] = useState(false)
  const problem = nameProblem(name, names.has(name))
  function submit() {
    setIsAttempted(true)
    if (problem !== undefined || text === '') return
    onAdd(name, text)
    onClose()
  }
  return (
    <FormDialog title="Add text" size={480} submitLabel="Add text" onSubmit={submit} onClose={onClose}>
      {note}
      <NameField
        name={name}
        onName={next => change({ name: next })}
        problem={isAttempted && problem}
        placeholder="greeting"
        description="The key is the name with a language code: greeting_en."
      />
      <Textarea
        label={`${languageName(primaryLanguage) ?? primaryLanguage} text`}
        autosize
        minRows={2}
        maxRows={8}
        value={text}
        onChange={event => change({ text: event.currentTarget.value })}
        error={isAttempted && text === '' && 'Write the text.'}
      />
    </FormDialog>
  )
}

/** Asks for a language that gets a column. */
export function AddLanguageDialog(props: {
  readonly languages: readonly string[]
  readonly onAdd: (language: string) => void
  readonly onClose: () => void
}) {
  const { languages, onAdd, onClose } = props
  const [language, setLanguage] = useState('')
  const [isAttempted, setIsAttempted] = useState(false)
  function submit() {
    setIsAttempted(true)
    if (language === '') return
    onAdd(language)
    onClose()
  }
  return (
    <FormDialog
      title="Add language"
      size={400}
      submitLabel="Add language"
      onSubmit={submit}
      onClose={onClose}
    >
      <LanguageSelect
        label="Language"
        value={language}
        onChange={setLanguage}
        taken={languages}
        error={isAttempted && language === '' && 'Choose a language.'}
        autoFocus
      />
    </FormDialog>
  )
}

/** Asks for another name of a text. */
export function RenameDialog(props: {
  readonly name: string
  readonly names: Names
  readonly onRename: (name: string) => void
  readonly onClose: () => void
}) {
  const { names, onRename, onClose } = props
  const { values, change, note } = useStoredFields(`text-name/${useStoredScope()}/${props.name}`, nameField, {
    name: props.name,
  })
  const { name } = values
  const problem = nameProblem(name, name !== props.name && names.has(name))
  function submit() {
    if (problem !== undefined) return
    if (name !== props.name) onRename(name)
    onClose()
  }
  return (
    <FormDialog
      title={`Rename ${props.name}`}
      size={400}
      submitLabel="Rename in all languages"
      onSubmit={submit}
      onClose={onClose}
    >
      {note}
      <NameField name={name} onName={next => change({ name: next })} problem={problem} />
    </FormDialog>
  )
}

/** Asks for the name and language of a text whose key names no language. */
export function RenameStrayDialog(props: {
  readonly strayKey: string
  readonly primaryLanguage: string
  readonly hasKey: (key: string) => boolean
  readonly onRename: (key: string) => void
  readonly onClose: () => void
}) {
  const { strayKey, hasKey, onRename, onClose } = props
  const [name, setName] = useState(strayKey)
  const [language, setLanguage] = useState(props.primaryLanguage)
  const key = joinKey(name, language)
  const problem = hasKey(key) ? `There is a text ${key}.` : nameProblem(name, false)
  function submit() {
    if (problem !== undefined) return
    onRename(key)
    onClose()
  }
  return (
    <FormDialog
      title={`Rename ${strayKey}`}
      size={480}
      submitLabel={`Rename to ${key}`}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="pair">
        <NameField name={name} onName={setName} problem={problem} />
        <LanguageSelect label="Language" value={language} onChange={setLanguage} error={null} />
      </div>
    </FormDialog>
  )
}
