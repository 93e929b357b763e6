import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../../client/client.ts'
import { SearchSelect } from '../../ui/search-select.tsx'

const newVariable = 'new variable'

/** Chooses an environment variable by its name, or asks for a new one. */
export function VariableSelect(props: {
  readonly id?: string
  readonly label?: ReactNode
  readonly placeholder: string
  readonly width?: number
  /** Its height, as that of the fields beside it. */
  readonly size?: 'sm' | 'md'
  readonly value: string | null
  readonly error: string | undefined
  readonly onChange: (name: string | null) => void
  readonly onNew: () => void
}) {
  const { id, label, placeholder, width, size = 'sm', value, error, onChange, onNew } = props
  const { data = [] } = useQuery(api.environment.list.queryOptions())
  const names = [...new Set([...data.map(({ name }) => name), ...(value === null ? [] : [value])])]
  return (
    <SearchSelect
      id={id}
      size={size}
      label={label}
      w={width}
      maw="100%"
      classNames={{ input: value === null ? '' : 'mono' }}
      placeholder={placeholder}
      data={[
        { group: 'Environment variables', items: names },
        { group: 'More', items: [{ value: newVariable, label: 'New variable…' }] },
      ]}
      value={value}
      onChange={chosen => (chosen === newVariable ? onNew() : onChange(chosen))}
      clearable
      error={error}
    />
  )
}
