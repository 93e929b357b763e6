import { fieldName, shownValue } from '#shared/cases/words.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { formatCount } from '../../../ui/format.ts'
import { CaseMark } from './case-mark.tsx'
import type { ExpectedRow } from './case-rows.ts'
import classes from './cases.module.css'
import type { FieldOf } from './kept-answer.ts'
import { JsonValue, RuleText } from './rule-words.tsx'

/** The rules of a case beside the fields of its newest answer. */
export function CaseTable(props: {
  readonly rows: readonly ExpectedRow[]
  /** Null if it is not kept, or not known yet. */
  readonly answer: FieldOf | null
  /** Whether the newest run got an answer. */
  readonly isAnswered: boolean
}) {
  const { rows, answer, isAnswered } = props
  if (rows.length === 0)
    return (
      <p className="sm t2">
        This case expects nothing but an answer. Edit it to say what the answer must be.
      </p>
    )
  return (
    <table className={classes.table} aria-label="Expected and got">
      <thead>
        <tr>
          <th scope="col">
            <span className="sr">Result</span>
          </th>
          <th scope="col">Expected</th>
          <th scope="col">Rule</th>
          <th scope="col">Got</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no ids
          <tr key={index} data-failed={row.state === 'failed' || undefined}>
            <td>
              <CaseMark state={row.state} />
            </td>
            <td>
              <code>{fieldName(row.path)}</code>
            </td>
            <td>
              <RuleText rule={row.rule} valueText={row.valueText} />
            </td>
            <td>{isAnswered && <Got row={row} answer={answer} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Got({ row, answer }: { readonly row: ExpectedRow; readonly answer: FieldOf | null }) {
  const { path, difference } = row
  if (difference !== undefined) {
    if (difference.actual === undefined) return <span className="bad">missing</span>
    const text = answer?.(path)
    return (
      <code className="bad">{text == null || text.length > 100 ? shownValue(difference.actual) : text}</code>
    )
  }
  if (answer === null) return <span className="t3">not kept</span>
  const text = answer(path)
  if (text === null) return <span className="t3">none</span>
  const value = text.startsWith('[') ? parseJson(text) : undefined
  return Array.isArray(value) ? formatCount(value.length, 'item') : <JsonValue text={text} />
}
