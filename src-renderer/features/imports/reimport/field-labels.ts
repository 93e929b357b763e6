import { ParameterData } from '#shared/model/parameter.ts'

const labels: Readonly<Record<string, string>> = {
  name: 'Name',
  label: 'Label',
  description: 'Description',
  method: 'Method',
  path: 'Path',
  isEnabled: 'Enabled',
  responseMapping: 'Mapped result',
  samplePayload: 'Sample payload',
}

/** Returns the name of a compared field, and whether it is a name of the system: a parameter or a header. */
export function fieldLabel(field: string): { readonly label: string; readonly isCode: boolean } {
  const { owner, name } = /^(?<owner>headers|parameters)\.(?<name>.*)$/s.exec(field)?.groups ?? {}
  if (owner === undefined || name === undefined) return { label: labels[field] ?? field, isCode: false }
  return { label: owner === 'headers' ? `Header ${name}` : name, isCode: true }
}

/** A value in words: what a machine reads, then what a person reads. */
export type FieldText = { readonly code: string; readonly prose: string }

/** Returns a value of a compared field in words; null for none. */
export function fieldText(field: string, value: unknown): FieldText | null {
  if (value === null || value === undefined) return null
  if (field.startsWith('parameters.')) {
    const { data } = ParameterData.safeParse(value)
    if (data !== undefined)
      return {
        code: data.type,
        prose: `${data.required ? 'required' : 'optional'}\n“${data.description}”`,
      }
  }
  if (field === 'isEnabled') return { code: '', prose: value === true ? 'on' : 'off' }
  if (typeof value !== 'string') return { code: JSON.stringify(value, null, 2), prose: '' }
  return isProse(field) ? { code: '', prose: `“${value}”` } : { code: value, prose: '' }
}

const isProse = (field: string) => field === 'name' || field === 'label' || field === 'description'
