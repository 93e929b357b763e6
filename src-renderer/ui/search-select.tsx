import {
  type ComboboxItem,
  type ComboboxParsedItem,
  type OptionsFilter,
  // biome-ignore lint/style/noRestrictedImports: this is what all others use
  Select,
  type SelectProps,
} from '@mantine/core'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { isSaving } from './match-keys.ts'
import { fitness } from './rank.ts'

type SearchSelectProps<Value extends string> = Omit<
  SelectProps<Value>,
  | 'searchable'
  | 'filter'
  | 'selectFirstOptionOnChange'
  | 'openOnFocus'
  | 'dropdownOpened'
  | 'onDropdownOpen'
  | 'onDropdownClose'
> & {
  /** Chooses the only option, if nothing is chosen yet. Left out: `onChange`. */
  readonly onOnly?: (value: Value) => void
  /** Called with what is typed, for options that the service finds; empty when an option is taken. */
  readonly onTyped?: (text: string) => void
}

/** How many options are rendered; typing finds the others. */
const defaultLimit = 500

/**
 * A select whose options are found by typing. While the user types, the first match is highlighted; Enter, Tab, a click
 * elsewhere and saving take it, and Escape restores the chosen option. A single possible option is chosen by itself.
 */
export function SearchSelect<Value extends string = string>(props: SearchSelectProps<Value>) {
  const { onOnly, onTyped, data = [], value = null, disabled, ...others } = props
  /** The text that was typed since the field got the focus; null for none. */
  const [typed, keepTyped] = useState<string | null>(null)
  function setTyped(text: string | null): void {
    keepTyped(text)
    onTyped?.(text ?? '')
  }

  const only = onlyValue(data)
  const chooseOnly = useEffectEvent((one: Value) => {
    if (onOnly !== undefined) onOnly(one)
    else props.onChange?.(one, { value: one, label: one })
  })
  const isOpen = value === null && only !== null && disabled !== true && others.clearable !== true
  useEffect(() => {
    if (isOpen) chooseOnly(only)
  }, [isOpen, only])

  const [isListOpen, setListOpen] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const isTyped = typed !== null && typed.trim() !== ''
  // Mantine highlights the first match when the text changes, and when this changes: once options arrive later.
  const offered = valuesOf(data).join()
  const [highlightedOf, setHighlightedOf] = useState(offered)
  useEffect(() => setHighlightedOf(offered), [offered])
  useEffect(() => {
    if (!isTyped) return
    // Before the list closes, which the same press does.
    const onPress = ({ target }: PointerEvent) => {
      const parts = [field.current, listOf(field.current)?.parentElement]
      if (target instanceof Node && !parts.some(part => part?.contains(target)))
        takeHighlighted(field.current)
    }
    document.addEventListener('pointerdown', onPress, true)
    return () => document.removeEventListener('pointerdown', onPress, true)
  }, [isTyped])

  return (
    <Select
      ref={field}
      allowDeselect={false}
      limit={defaultLimit}
      {...others}
      data={data}
      value={value}
      {...(disabled !== undefined && { disabled })}
      searchable
      selectFirstOptionOnChange={!isTyped || highlightedOf === offered}
      // An open list would hold back the shortcuts of the form around it.
      openOnFocus={false}
      filter={input => matchesOf(input, typed ?? input.search)}
      dropdownOpened={isListOpen}
      onDropdownOpen={() => setListOpen(true)}
      onDropdownClose={() => setListOpen(false)}
      // If the list opened only with the first letter, Mantine would forget which option is highlighted.
      onBeforeInput={() => setListOpen(true)}
      onInput={event => setTyped(event.currentTarget.value)}
      onFocus={event => {
        // Typing replaces the chosen option's name.
        event.currentTarget.select()
        others.onFocus?.(event)
      }}
      onKeyDown={event => {
        if ((event.key === 'Tab' || isSaving(event)) && typed !== '') takeHighlighted(event.currentTarget)
        if (event.key === 'Escape') {
          setTyped(null)
          // It closes the list only, not the dialog around it.
          if (isListOpen) event.preventDefault()
        }
        others.onKeyDown?.(event)
      }}
      onBlur={event => {
        setTyped(null)
        others.onBlur?.(event)
      }}
      onOptionSubmit={option => {
        setTyped(null)
        others.onOptionSubmit?.(option)
      }}
    />
  )
}

/** Returns the open list of a field. */
const listOf = (field: HTMLElement | null) =>
  document.getElementById(field?.getAttribute('aria-controls') ?? '')

/** Takes the highlighted option of a field's open list, if there is one. */
function takeHighlighted(field: HTMLElement | null): void {
  listOf(field)?.querySelector<HTMLElement>('[data-combobox-selected]')?.click()
}

/** Returns the values of the options that can be chosen. */
function valuesOf<Value extends string>(data: NonNullable<SelectProps<Value>['data']>): Value[] {
  return data
    .flatMap(item => (typeof item === 'object' && 'items' in item ? item.items : [item]))
    .filter(item => typeof item === 'string' || item.disabled !== true)
    .map(item => (typeof item === 'string' ? item : item.value))
}

/** Returns the value of the only option that can be chosen; null if there is none or a choice. */
function onlyValue<Value extends string>(data: NonNullable<SelectProps<Value>['data']>): Value | null {
  const values = valuesOf(data)
  return values.length === 1 ? (values[0] ?? null) : null
}

/** Returns the options that fit a search, the best of each group first. The value fits by its beginning only. */
function matchesOf<Value extends string>(
  { options, limit }: Parameters<OptionsFilter<Value>>[0],
  search: string,
): ComboboxParsedItem<Value>[] {
  const query = search.trim()
  let left = limit
  const best = (items: readonly ComboboxItem<Value>[]): ComboboxItem<Value>[] => {
    const shown = bestItems(items, query).slice(0, left)
    left -= shown.length
    return shown
  }
  const single = options.flatMap(item => ('items' in item ? [] : [item]))
  const groups = options.flatMap(item => ('items' in item ? [item] : []))
  return [
    ...best(single),
    ...groups.map(group => ({ ...group, items: best(group.items) })).filter(({ items }) => items.length > 0),
  ]
}

function bestItems<Item extends ComboboxItem>(items: readonly Item[], query: string): readonly Item[] {
  if (query === '') return items
  return items
    .map(item => ({ item, fit: fitOf(item, query) }))
    .filter(({ fit }) => fit > 0)
    .sort((one, other) => other.fit - one.fit)
    .map(({ item }) => item)
}

function fitOf({ label, value }: ComboboxItem, query: string): number {
  if (label.toLowerCase() === query.toLowerCase()) return Number.POSITIVE_INFINITY
  const also = value.toLowerCase().startsWith(query.toLowerCase()) ? value : ''
  return fitness({ text: label, also }, query)
}
