import { Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { parseJson } from '#shared/json/parse-json.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { isBeyondDouble, nodeAt, readJsonNodes } from '../../../ui/json-nodes.ts'
import { type RowIn, withUnread } from '../action-draft.ts'
import { PartField } from './field.tsx'
import type { RowActions } from './use-rows.ts'

/** The value of a constant, which each call sends and no assistant sees. A text is written as it is, all else as JSON. */
export function ConstantField(props: {
  readonly row: RowIn<'parameters'>
  readonly rows: RowActions<'parameters'>
}) {
  const { row, rows } = props
  const { id, value, unread } = row
  const isGiven = value !== undefined || unread?.value !== undefined
  const [typed, setTyped] = useState('')
  // Undo and “Discard” replace what was typed.
  const isCurrent = JSON.stringify(read(row, typed)) === JSON.stringify(value)
  const text = unread?.value ?? (isCurrent ? typed : textOf(row))
  function change(next: string): void {
    setTyped(next)
    const found = read(row, next)
    rows.patch(id, {
      value: found === undefined ? value : found,
      unread: withUnread(unread, 'value', found === undefined ? next : null),
    })
  }
  return (
    <>
      <PartField name={`parameters.${id}.constant`} label="Constant">
        {field => (
          <Switch
            id={field}
            label="always the same value"
            checked={isGiven}
            onChange={event => {
              if (event.currentTarget.checked) change(takesText(row) ? '' : 'null')
              else rows.patch(id, { value: undefined, unread: withUnread(unread, 'value', null) })
            }}
          />
        )}
      </PartField>
      {isGiven && (
        <PartField name={`parameters.${id}.value`} label={takesText(row) ? 'Value' : 'Value as JSON'}>
          {field => (
            <TextInput
              id={field}
              size="sm"
              classNames={{ input: 'mono' }}
              value={text}
              spellCheck={false}
              onChange={event => change(event.currentTarget.value)}
            />
          )}
        </PartField>
      )}
    </>
  )
}

const takesText = ({ type, isList, value }: Parameter) =>
  type === 'string' && isList !== true && (value === undefined || typeof value === 'string')

function textOf(row: Parameter): string {
  if (row.value === undefined) return ''
  return takesText(row) ? String(row.value) : JSON.stringify(row.value)
}

/** Returns the value that a text means; undefined if it is not JSON, or has a number that would lose digits. */
function read(row: Parameter, text: string): unknown {
  if (takesText(row)) return text
  const nodes = readJsonNodes(text)
  return nodes === null || nodes.kinds.some((_, index) => isBeyondDouble(nodeAt(nodes, index)))
    ? undefined
    : parseJson(text)
}
