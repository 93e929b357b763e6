import { Radio } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { BackButton } from '../../ui/master-detail.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import classes from './sender/sender.module.css'

type Choice = { readonly title: string; readonly about: string }

/**
 * A pane with the kinds of something to choose from.
 *
 * @param props.isCode whether the line below a title is shown as code.
 * @param props.back leads to the overview.
 */
export function ChoicePane<Name extends string>(props: {
  readonly id: string
  readonly title: string
  readonly names: readonly Name[]
  readonly choices: Readonly<Record<Name, Choice>>
  readonly chosen: Name
  readonly isCode: (about: string) => boolean
  /** Whether the line below a title warns. */
  readonly isBad?: (name: Name) => boolean
  readonly note: string
  readonly back: ReactNode
  readonly onChoose: (name: Name) => void
  /** For many kinds: a search over them, a letter before each, and the one that a request suggests. */
  readonly many?: {
    readonly placeholder: string
    /** More words that find a name. */
    readonly wordsOf: (name: Name) => string
    readonly suggested: { readonly name: Name; readonly from: string } | null
    /** Shown if nothing is found. */
    readonly none: string
  }
}) {
  const { id, title, names, choices, chosen, isCode, isBad, note, back, onChoose, many } = props
  const [search, setSearch] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const wanted = search.trim().toLowerCase()
  const isFound = (name: Name) =>
    [name, choices[name].title, choices[name].about, many?.wordsOf(name) ?? '']
      .join(' ')
      .toLowerCase()
      .includes(wanted)
  const suggested = many?.suggested ?? null
  const found = names.filter(name => wanted === '' || isFound(name))
  const others = found.filter(name => name !== suggested?.name)
  const radio = (name: Name) => {
    const { title: label, about } = choices[name]
    return (
      <div key={name} className={classes.scheme}>
        {many !== undefined && (
          <span className={classes.letter} aria-hidden="true">
            {label.slice(0, 1)}
          </span>
        )}
        <Radio
          value={name}
          size="xs"
          classNames={{
            root: classes.schemeRadio ?? '',
            body: classes.schemeBody ?? '',
            label: classes.schemeTitle ?? '',
            ...(many !== undefined && { inner: classes.schemeInner ?? '', labelWrapper: classes.wide ?? '' }),
          }}
          label={label}
          description={
            isCode(about) ? <code>{about}</code> : <span className={isBad?.(name) ? 'bad' : ''}>{about}</span>
          }
        />
      </div>
    )
  }
  return (
    <section className={classes.pane} aria-labelledby={id}>
      <div className={classes.bar}>
        {back}
        <BackButton />
        <h2 className="h3 nowrap" id={id}>
          {title}
        </h2>
      </div>
      {many !== undefined && (
        <SearchField
          className={classes.find}
          value={search}
          onChange={setSearch}
          label={`Search: ${title}`}
          placeholder={many.placeholder}
          does="Search"
          group={title}
          list={{ current: { focus: () => list.current?.querySelector('input')?.focus() } }}
        />
      )}
      <div className={classes.schemes}>
        <Radio.Group
          ref={list}
          aria-labelledby={id}
          value={chosen}
          onChange={value => onChoose(names.find(name => name === value) ?? chosen)}
        >
          {suggested !== null && found.includes(suggested.name) && (
            <>
              <p className={classes.group}>{suggested.from}</p>
              {radio(suggested.name)}
            </>
          )}
          {many !== undefined && others.length > 0 && wanted === '' && (
            <p className={classes.group}>By use, {names.length}</p>
          )}
          {others.map(radio)}
        </Radio.Group>
        <p className="sm t2" role={found.length === 0 ? 'status' : undefined}>
          {found.length === 0 ? many?.none : note}
        </p>
      </div>
    </section>
  )
}
