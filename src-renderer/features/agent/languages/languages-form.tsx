import { Button, SegmentedControl, Switch } from '@mantine/core'
import { Languages, Plus, TriangleAlert } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { LanguageSettings } from '#shared/model/platform/language.ts'
import { joinKey, languageName, type TranslatedText } from '#shared/platform/translations.ts'
import { Counted } from '../../../ui/badges.tsx'
import { formatCount } from '../../../ui/format.ts'
import { KeyButton } from '../../../ui/keys.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import { withKeyChanged, withNameChanged, withoutName, withText } from './edit-translations.ts'
import { type Figures, nextMissing } from './figures.ts'
import { AddLanguageDialog, AddTextDialog, RenameDialog, RenameStrayDialog } from './key-dialogs.tsx'
import { LanguageSelect } from './language-select.tsx'
import classes from './languages-form.module.css'
import { type Cell, TranslationsTable, type TranslationsTableHandle } from './translations-table.tsx'
import { useTable } from './use-table.ts'

type Shown = 'all' | 'missing' | 'differing'

type Dialog =
  | { readonly kind: 'add-text' | 'add-language' }
  | { readonly kind: 'rename' | 'rename-stray'; readonly key: string }

/** Edits the languages of an agent and its texts in each. */
export function LanguagesForm(props: {
  readonly draft: LanguageSettings
  readonly change: (next: Partial<LanguageSettings>) => void
  /** By path: `translations.greeting_en`. */
  readonly problems: Readonly<Partial<Record<string, string>>>
  /** Languages that have a column although they have no text yet. */
  readonly added: readonly string[]
  readonly onAdd: (language: string) => void
  readonly onRemove: (language: string) => void
}) {
  const { draft, change, problems, added, onAdd, onRemove } = props
  const { primaryLanguage, secondaryLanguage, translations } = draft
  const [filter, setFilter] = useState('')
  const [show, setShow] = useState<Shown>('all')
  const [active, setActive] = useState<{ readonly cell: Cell; readonly isEditing: boolean } | null>(null)
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const table = useRef<TranslationsTableHandle>(null)

  const { rows, languages, strayKeys, figures } = useTable(draft, added)
  const wanted = filter.trim().toLowerCase()
  const namesOfShown = useMemo(
    () => (show === 'all' ? null : new Set(figures[show].map(({ name }) => name))),
    [figures, show],
  )
  const isShown = ({ name, texts }: TranslatedText) =>
    namesOfShown?.has(name) !== false &&
    (wanted === '' || [name, ...texts.values()].some(text => text.toLowerCase().includes(wanted)))
  // The row that is edited stays, even if it fits no longer.
  const visible = rows.filter(row => row.name === active?.cell.name || isShown(row))
  const names = { has: (name: string) => rows.some(row => row.name === name && row.texts.size > 0) }

  const set = (next: Record<string, string>) => change({ translations: next })
  function goTo(cell: Cell, isEditing = false): void {
    setActive({ cell, isEditing })
    if (!isEditing) table.current?.focus(cell)
  }
  function goToMissing(): void {
    const next = nextMissing(figures, rows, languages, active?.cell ?? null)
    if (next !== null) goTo(next, true)
  }
  function narrowTo(next: { readonly show?: Shown; readonly filter?: string }): void {
    if (next.show !== undefined) setShow(next.show)
    if (next.filter !== undefined) setFilter(next.filter)
    setActive(null)
  }
  const shortcut = (keys: string, label: string) => ({ keys, label, group: 'Languages' })
  useShortcut(shortcut('f8', 'Next missing text'), goToMissing)
  useShortcut(shortcut('n', 'Add text'), () => setDialog({ kind: 'add-text' }))

  const translationProblems = new Map(
    Object.entries(problems).flatMap(([path, problem]) =>
      path.startsWith('translations.') && problem !== undefined
        ? [[path.slice('translations.'.length), problem] as const]
        : [],
    ),
  )
  const close = () => setDialog(null)
  return (
    <div className={classes.form}>
      <div className={classes.fields}>
        <LanguageSelect
          label="Primary language"
          value={primaryLanguage}
          onChange={code => change({ primaryLanguage: code })}
          error={problems.primaryLanguage}
        />
        <LanguageSelect
          label="Secondary language"
          value={secondaryLanguage}
          onChange={code => change({ secondaryLanguage: code })}
          isOptional
          taken={[primaryLanguage]}
          error={problems.secondaryLanguage}
        />
        <Switch
          className={classes.detect}
          styles={{ label: { fontSize: 13 } }}
          label={
            <>
              Detect the language <span className="sm t3">from what the person writes first</span>
            </>
          }
          checked={draft.autoDetect}
          onChange={event => change({ autoDetect: event.currentTarget.checked })}
        />
      </div>
      <div className={classes.bar}>
        <SearchField
          className={classes.filter}
          label="Filter texts"
          placeholder="Filter by key or text"
          value={filter}
          onChange={next => narrowTo({ filter: next })}
          does="Filter the texts"
          group="Languages"
          list={table}
        />
        <SegmentedControl
          aria-label="Show"
          value={show}
          onChange={value => narrowTo({ show: value })}
          data={[
            { value: 'all', label: <Counted label="All" count={rows.length} /> },
            { value: 'missing', label: <Counted label="Missing" count={figures.missing.length} /> },
            { value: 'differing', label: <Counted label="Differing" count={figures.differing.length} /> },
          ]}
        />
        <span className="push" />
        <Button leftSection={<Languages />} onClick={() => setDialog({ kind: 'add-language' })}>
          Add language
        </Button>
        <KeyButton icon={Plus} keys="n" onClick={() => setDialog({ kind: 'add-text' })}>
          Add text
        </KeyButton>
      </div>
      <TranslationsTable
        ref={table}
        rows={visible}
        languages={languages}
        primaryLanguage={primaryLanguage}
        total={rows.length}
        counts={figures.counts}
        removable={added.filter(language => language !== primaryLanguage && language !== secondaryLanguage)}
        onRemoveLanguage={language => {
          onRemove(language)
          const name = active?.cell.name ?? visible[0]?.name
          if (name !== undefined) goTo({ name, language: null })
        }}
        problems={translationProblems}
        cell={active?.cell ?? null}
        isEditing={active?.isEditing ?? false}
        onCell={(cell, isEditing) => setActive({ cell, isEditing })}
        onText={(key, text) => set(withText(translations, key, text))}
        onRename={key => setDialog({ kind: 'rename', key })}
        onDelete={name => set(withoutName(translations, draft, name))}
        none={wanted === '' ? noneOf[show] : `No text contains “${filter.trim()}”.`}
      />
      <Remarks
        figures={figures}
        strayKeys={strayKeys}
        primaryLanguage={primaryLanguage}
        problem={[...translationProblems][0]}
        active={active?.cell ?? null}
        onGoTo={goTo}
        onRename={key => setDialog({ kind: 'rename-stray', key })}
      />
      {dialog?.kind === 'add-text' && (
        <AddTextDialog
          primaryLanguage={primaryLanguage}
          names={names}
          onAdd={(name, text) => {
            set(withText(translations, joinKey(name, primaryLanguage), text))
            narrowTo({ show: 'all', filter: '' })
            goTo({ name, language: primaryLanguage })
          }}
          onClose={close}
        />
      )}
      {dialog?.kind === 'add-language' && (
        <AddLanguageDialog languages={languages} onAdd={onAdd} onClose={close} />
      )}
      {dialog?.kind === 'rename' && (
        <RenameDialog
          name={dialog.key}
          names={names}
          onRename={to => {
            set(withNameChanged(translations, draft, dialog.key, to))
            setActive(null)
          }}
          onClose={close}
        />
      )}
      {dialog?.kind === 'rename-stray' && (
        <RenameStrayDialog
          strayKey={dialog.key}
          primaryLanguage={primaryLanguage}
          hasKey={key => Object.hasOwn(translations, key)}
          onRename={key => set(withKeyChanged(translations, dialog.key, key))}
          onClose={close}
        />
      )}
    </div>
  )
}

const noneOf: Readonly<Record<Shown, string>> = {
  all: '',
  missing: 'Every text exists in every language.',
  differing: 'Every translation has the variables of its primary text.',
}

/** The line below the table: the first problem, and the first key that names no language. */
function Remarks(props: {
  readonly figures: Figures
  readonly strayKeys: readonly string[]
  readonly primaryLanguage: string
  /** A key and what is wrong with it. */
  readonly problem: readonly [string, string] | undefined
  readonly active: Cell | null
  readonly onGoTo: (cell: Cell) => void
  readonly onRename: (key: string) => void
}) {
  const { figures, strayKeys, primaryLanguage, problem, active, onGoTo, onRename } = props
  const { differing } = figures
  const isActive = ({ name, language }: Cell) => name === active?.name && language === active.language
  const first = differing.find(isActive) ?? differing[0]
  const [stray] = strayKeys
  if (first === undefined && stray === undefined && problem === undefined) return null
  const language = languageName(primaryLanguage) ?? primaryLanguage
  return (
    <div className={classes.remarks}>
      {problem !== undefined && (
        <span className="row bad" role="alert">
          <TriangleAlert size={14} />
          <code>{problem[0]}</code> {problem[1]}
        </span>
      )}
      {problem === undefined && first !== undefined && (
        <button type="button" className={classes.remark} onClick={() => onGoTo(first)}>
          <TriangleAlert size={14} />
          <span>
            <code>{joinKey(first.name, first.language)}</code> lacks{' '}
            <code>{first.lost.map(name => `{${name}}`).join(', ')}</code>, which the {language} text has
            {differing.length > 1 && `, and ${formatCount(differing.length - 1, 'other')}`}.
          </span>
        </button>
      )}
      {stray !== undefined && (
        <>
          <span className="push t3">
            <code className="t2">{stray}</code> has no language code, so it is never used
            {strayKeys.length > 1 && `, and ${formatCount(strayKeys.length - 1, 'other')}`}
          </span>
          <Button size="xs" onClick={() => onRename(stray)} aria-label={`Rename ${stray}`}>
            Rename
          </Button>
        </>
      )}
    </div>
  )
}
