import { type ReactNode, useState } from 'react'
import { languageName } from '#shared/platform/translations.ts'
import { SearchSelect } from '../../../ui/search-select.tsx'

const letters = [...'abcdefghijklmnopqrstuvwxyz']

/** The languages with codes of two letters; codes that others have replaced are left out. */
const commonCodes: readonly string[] = letters
  .flatMap(first => letters.map(second => first + second))
  .filter(code => languageName(code) !== null && Intl.getCanonicalLocales(code)[0] === code)

const optionOf = (code: string) => ({ value: code, label: languageName(code) ?? code })
const commonOptions = commonCodes.map(optionOf).sort((a, b) => a.label.localeCompare(b.label, 'en'))

/** A field for a language, by name or code. A typed code with a region, such as `en-GB`, is offered too. */
export function LanguageSelect(props: {
  readonly label: string
  /** Empty for none. */
  readonly value: string
  readonly onChange: (code: string) => void
  /** Whether it can be cleared. */
  readonly isOptional?: boolean
  /** Codes that cannot be chosen. */
  readonly taken?: readonly string[]
  readonly error: ReactNode
  readonly autoFocus?: boolean
}) {
  const { label, value, onChange, isOptional = false, taken = [], error } = props
  const [search, setSearch] = useState('')
  const typed = search.trim()
  const isNew = (code: string) => code !== '' && !commonCodes.includes(code)
  const extra = [value, languageName(typed) === null ? '' : typed].filter(isNew)
  const options = [...new Set(extra)].map(optionOf).concat(commonOptions)
  return (
    <SearchSelect
      label={label}
      placeholder={isOptional ? 'None' : 'Name or code'}
      clearable={isOptional}
      clearButtonProps={{ size: 'xs', 'aria-label': `No ${label.toLowerCase()}` }}
      data={options.map(option => ({ ...option, disabled: taken.includes(option.value) }))}
      value={value === '' ? null : value}
      onChange={code => onChange(code ?? '')}
      searchValue={search}
      onSearchChange={setSearch}
      renderOption={({ option }) => (
        <>
          <span className="grow cut">{option.label}</span>
          <code className="t3">{option.value}</code>
        </>
      )}
      nothingFoundMessage="Write a code such as pt-BR"
      limit={100}
      error={error}
      data-autofocus={props.autoFocus || undefined}
      rightSectionWidth={value === '' ? undefined : 64}
      rightSection={value === '' ? undefined : <code className="t3">{value}</code>}
      rightSectionPointerEvents={isOptional ? undefined : 'none'}
    />
  )
}
