import { stringifyUpTo } from '#shared/json/stringify-up-to.ts'
import { variablesOf } from '#shared/model/event-variables.ts'
import type { ComparedField, ImportComparison } from '#shared/model/import-comparison.ts'
import type { Difference, FieldChange } from './compare.ts'
import type { DocumentItem, PresentItem } from './items.ts'

/** Characters of a shown value, and of all values together: further ones are left out. */
const maxShown = 4000
const maxShownInAll = 4 * 1024 * 1024

export type Described = Pick<ImportComparison, 'added' | 'changed' | 'removed' | 'same' | 'notTaken'>

/** Returns a difference as REST and the dashboard get it. When an action was called, and by whom, is not known here. */
export function describeDifference({ added, matched, removed, notTaken }: Difference): Described {
  let shown = 0
  const show = (field: string, value: unknown): unknown => {
    if (value === undefined || value === null) return null
    const text = field === 'samplePayload' ? JSON.stringify(value, null, 2) : stringifyUpTo(value, maxShown)
    shown += Math.min(text.length, maxShown)
    if (text.length <= maxShown && field !== 'samplePayload') return value
    const whole = typeof value === 'string' ? value : text
    return whole.length <= maxShown ? whole : `${whole.slice(0, maxShown).toWellFormed()}…`
  }
  const describeField = ({ field, before, after, editedAt }: FieldChange): ComparedField => {
    const edit = { edited: editedAt !== null, editedAt }
    if (shown > maxShownInAll) return { field, before: null, after: null, omitted: true, ...edit }
    return { field, before: show(field, before), after: show(field, after), ...edit }
  }
  const changed = matched.filter(({ fields }) => fields.length > 0)
  return {
    added: added.map(entry => ({ ...describeEntry(entry, entry.operation), ...sizeOf(entry) })),
    changed: changed.map(({ present, entry, fields, kept }) => ({
      ...describeEntry(present, entry.operation),
      ...{ id: present.id, fields: fields.map(describeField), kept: [...kept], workflows: [] },
    })),
    removed: removed.map(item => {
      const editedAt = item.imported?.own?.isEnabled?.at ?? null
      return {
        ...describeEntry(item, item.imported?.operation ?? ''),
        ...{ id: item.id, edited: editedAt !== null, editedAt, lastCalledAt: null, workflows: [] },
      }
    }),
    same: matched.length - changed.length,
    notTaken,
  }
}

function describeEntry(item: DocumentItem | PresentItem, operation: string) {
  const { kind, name, method } = item
  const label = item.kind === 'action' ? item.content.name : (item.content.label ?? null)
  return { operation, kind, name, label, method }
}

function sizeOf(entry: DocumentItem) {
  if (entry.kind === 'action')
    return { inputs: entry.content.parameters.length, isEnabled: entry.content.isEnabled }
  return { inputs: variablesOf(entry.content.samplePayload ?? null).length, isEnabled: true }
}
