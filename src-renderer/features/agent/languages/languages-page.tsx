import { useState } from 'react'
import type { LanguageSettings } from '#shared/model/platform/language.ts'
import { type Fields, mergeEntries } from '../../../ui/draft/draft.ts'
import { formatCount } from '../../../ui/format.ts'
import { AgentPage } from '../agent-page.tsx'
import { useShape } from '../use-shapes.ts'
import { changedKeys } from './figures.ts'
import { LanguagesForm } from './languages-form.tsx'
import { useTable } from './use-table.ts'

const fields: Required<Fields<LanguageSettings>> = {
  primaryLanguage: 'primary language',
  secondaryLanguage: 'secondary language',
  autoDetect: 'detection',
  translations: {
    label: 'texts',
    show: (texts, before) =>
      changedKeys(before, texts)
        .map(key => `${key}: ${texts[key] ?? 'deleted'}`)
        .join('\n'),
    merge: mergeEntries,
  },
}

/** The languages of an agent and its texts in each. */
export function LanguagesPage() {
  const [added, setAdded] = useState<readonly string[]>([])
  return (
    <AgentPage
      path="/agent/languages"
      saved={useShape('language')}
      heading="Languages"
      intro="The languages that the agent speaks, and its fixed texts in each."
      isFilled
      fields={fields}
      summary={(draft, changed, saved) => {
        if (changed.join() !== 'translations') return null
        const keys = changedKeys(saved.translations, draft.translations)
        return keys.length === 1 ? `text ${keys[0]}` : formatCount(keys.length, 'text')
      }}
      hints={{ enter: 'edit', tab: 'next language', f8: 'next missing', n: 'add text' }}
      foot={({ draft }) => <Summary draft={draft} added={added} />}
    >
      {form => (
        <LanguagesForm
          {...form}
          added={added}
          onAdd={language => setAdded(before => [...before, language])}
          onRemove={language => setAdded(before => before.filter(one => one !== language))}
        />
      )}
    </AgentPage>
  )
}

function Summary(props: { readonly draft: LanguageSettings; readonly added: readonly string[] }) {
  const { texts, missing, differing } = useTable(props.draft, props.added).figures
  const parts = [
    formatCount(texts, 'text'),
    formatCount(missing.length, 'missing', 'missing'),
    formatCount(differing.length, 'differs', 'differ'),
  ]
  return parts.join(' · ')
}
