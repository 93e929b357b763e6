import { X } from 'lucide-react'
import { languageName } from '#shared/platform/translations.ts'
import { formatNumber } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import classes from './translations-table.module.css'

export type TableHeadProps = {
  readonly languages: readonly string[]
  /** How many rows there are without a filter. */
  readonly total: number
  /** How many of them have a text, by language. */
  readonly counts: ReadonlyMap<string, number>
  /** The languages whose column can be removed, as long as it has no text. */
  readonly removable: readonly string[]
  readonly onRemoveLanguage: (language: string) => void
}

/** The head of the table: each language, and how many of its texts there are. */
export function TableHead({ languages, counts, total, removable, onRemoveLanguage }: TableHeadProps) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" className={classes.key}>
          Key
        </th>
        {languages.map(language => {
          const count = counts.get(language) ?? 0
          const tone = count < total * 0.9 ? 'warn' : 'ok'
          const name = languageName(language) ?? 'Unknown language'
          return (
            <th key={language} scope="col" className={classes.language} data-tone={tone}>
              <span className="row">
                <span className="cut">{name}</span>
                <code className="t3">_{language}</code>
                <span className={`push num nowrap ${tone === 'warn' ? 'warn' : 't3'}`}>
                  {formatNumber(count)} of {formatNumber(total)}
                </span>
                {count === 0 && removable.includes(language) && (
                  <IconButton
                    icon={X}
                    size="xs"
                    label={`Remove ${name}`}
                    onClick={() => onRemoveLanguage(language)}
                  />
                )}
              </span>
              <span className={classes.progress}>
                <i style={{ width: `${total === 0 ? 0 : (count / total) * 100}%` }} />
              </span>
            </th>
          )
        })}
      </tr>
    </thead>
  )
}
