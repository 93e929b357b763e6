import { defaultChoice, type ImportComparison } from '#shared/model/import-comparison.ts'

export type Added = ImportComparison['added'][number]
export type Changed = ImportComparison['changed'][number]
export type Removed = ImportComparison['removed'][number]

export const sections = ['added', 'changed', 'removed'] as const
export type Section = (typeof sections)[number]

/** An entry of a comparison, or the heading of a section. */
export type Row =
  | { readonly section: Section; readonly key: string; readonly count: number; readonly entry?: never }
  | { readonly section: 'added'; readonly key: string; readonly entry: Added }
  | { readonly section: 'changed'; readonly key: string; readonly entry: Changed }
  | { readonly section: 'removed'; readonly key: string; readonly entry: Removed }

/** Returns the rows of a comparison: each section that has entries, with its heading. */
export function rowsOf({ added, changed, removed }: ImportComparison): Row[] {
  const heading = (section: Section, count: number): Row[] =>
    count === 0 ? [] : [{ section, key: section, count }]
  const keyOf = (section: Section, { operation }: { readonly operation: string }) => `${section} ${operation}`
  return [
    ...heading('added', added.length),
    ...added.map((entry): Row => ({ section: 'added', key: keyOf('added', entry), entry })),
    ...heading('changed', changed.length),
    ...changed.map((entry): Row => ({ section: 'changed', key: keyOf('changed', entry), entry })),
    ...heading('removed', removed.length),
    ...removed.map((entry): Row => ({ section: 'removed', key: keyOf('removed', entry), entry })),
  ]
}

/** The ticked fields of each operation; none for an entry that is taken as a whole. */
export type Selection = ReadonlyMap<string, ReadonlySet<string>>

/** Returns what is ticked at first. @param now milliseconds since 1970. */
export function initialSelection(comparison: ImportComparison, now: number): Selection {
  const chosen = new Set(defaultChoice(comparison, now))
  const fields = new Map(comparison.changed.map(one => [one.operation, unedited(one)]))
  return new Map([...chosen].map(operation => [operation, fields.get(operation) ?? new Set()]))
}

const unedited = ({ fields }: Changed) =>
  new Set(fields.filter(({ edited }) => !edited).map(({ field }) => field))

type Ticked = 'all' | 'some' | 'none'

/** Returns whether an entry is ticked. The user's own edits do not have to be. */
export function tickedEntry(selection: Selection, { section, entry }: Row): Ticked {
  if (entry === undefined) return 'none'
  const fields = selection.get(entry.operation)
  if (fields === undefined) return 'none'
  if (section !== 'changed') return 'all'
  return [...unedited(entry)].every(field => fields.has(field)) ? 'all' : 'some'
}

/** Returns whether a section is ticked. */
export function tickedSection(selection: Selection, rows: readonly Row[], section: Section): Ticked {
  const ticks = new Set(
    rows
      .filter(row => row.section === section && row.entry !== undefined)
      .map(row => tickedEntry(selection, row)),
  )
  const [only = 'none'] = ticks
  return ticks.size === 1 ? only : 'some'
}

/** Ticks entries or not. An entry whose fields are all the user's own is ticked with all of them. */
export function withEntries(selection: Selection, rows: readonly Row[], isTicked: boolean): Selection {
  const next = new Map(selection)
  for (const { section, entry } of rows) {
    if (entry === undefined) continue
    if (!isTicked) next.delete(entry.operation)
    else if (section !== 'changed') next.set(entry.operation, new Set())
    else {
      const others = unedited(entry)
      next.set(entry.operation, others.size > 0 ? others : new Set(entry.fields.map(({ field }) => field)))
    }
  }
  return next
}

/** Ticks one field of an entry or not. */
export function withField(
  selection: Selection,
  operation: string,
  field: string,
  isTicked: boolean,
): Selection {
  const fields = new Set(selection.get(operation))
  if (isTicked) fields.add(field)
  else fields.delete(field)
  const next = new Map(selection)
  if (fields.size > 0) next.set(operation, fields)
  else next.delete(operation)
  return next
}

/** Returns the choice as the service takes it. */
export function choiceOf({ changed }: ImportComparison, selection: Selection) {
  const isChanged = new Set(changed.map(({ operation }) => operation))
  const fields = [...selection].filter(([operation]) => isChanged.has(operation))
  return {
    apply: [...selection.keys()],
    fields: Object.fromEntries(fields.map(([operation, names]) => [operation, [...names]])),
  }
}

/** Returns the label of the button: “Add 3, change 3, disable 1”; null if nothing is ticked. */
export function takeLabel(
  { added, changed, removed }: ImportComparison,
  selection: Selection,
): string | null {
  const count = (entries: readonly { readonly operation: string }[]) =>
    entries.filter(({ operation }) => selection.has(operation)).length
  const parts = [
    ['add', count(added)],
    ['change', count(changed)],
    ['disable', count(removed)],
  ].flatMap(([verb, number]) => (number === 0 ? [] : `${verb} ${number}`))
  if (parts.length === 0) return null
  const label = parts.join(', ')
  return label.charAt(0).toUpperCase() + label.slice(1)
}
