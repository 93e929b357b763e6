import { NativeSelect, Switch, TextInput } from '@mantine/core'
import { ChevronDown } from 'lucide-react'
import { ParameterPlace, ParameterStyle } from '#shared/model/parameter.ts'
import { placeOf } from '#shared/request/write-request.ts'
import { optionsOf } from '../../../ui/options-of.ts'
import { fieldsOf, type RowIn } from '../action-draft.ts'
import type { DraftForm } from '../use-action-draft.ts'
import { ConstantField } from './constant-field.tsx'
import classes from './definition.module.css'
import { PartField } from './field.tsx'
import { SchemaPanel } from './schema-panel.tsx'
import type { RowActions } from './use-rows.ts'
import { waysToWrite } from './written-as.ts'

const places = optionsOf<Readonly<Record<ParameterPlace, string>>>({
  path: 'Path',
  query: 'Query',
  header: 'Header',
  body: 'Body',
  entireBody: 'Whole body',
})

type PartProps = {
  readonly row: RowIn<'parameters'>
  readonly rows: RowActions<'parameters'>
  readonly form: DraftForm
}

/** The fields of an open row that say where and how the parameter is sent. A field at its default is not saved. */
export function SentAs(props: PartProps) {
  const { row, rows, form } = props
  const { id, name } = row
  const action = fieldsOf(form.draft)
  const byDefault = placeOf({}, action)
  function place(next: ParameterPlace): void {
    rows.patch(id, {
      in: next === byDefault ? undefined : next,
      // Without it there is no path.
      ...(next === 'path' && { required: true }),
    })
  }
  return (
    <div className={classes.sentAs}>
      <div className={classes.sentFields}>
        <PartField name={`parameters.${id}.in`} label="Sent in">
          {field => (
            <NativeSelect
              id={field}
              size="sm"
              rightSection={<ChevronDown size={12} className="t3" />}
              data={places}
              value={placeOf(row, action)}
              onChange={event => place(ParameterPlace.parse(event.currentTarget.value))}
            />
          )}
        </PartField>
        <PartField name={`parameters.${id}.wireName`} label="Name on the wire">
          {field => (
            <TextInput
              id={field}
              size="sm"
              classNames={{ input: 'mono' }}
              value={row.wireName ?? ''}
              placeholder={name}
              spellCheck={false}
              onChange={event => {
                const { value } = event.currentTarget
                rows.change(id, 'wireName', value === '' || value === name ? undefined : value)
              }}
            />
          )}
        </PartField>
        <PartField name={`parameters.${id}.isList`} label="List">
          {field => (
            <Switch
              id={field}
              label="takes a list"
              checked={row.isList === true}
              onChange={event => {
                const isList = event.currentTarget.checked ? true : undefined
                // A style of lists is none of single values.
                rows.patch(id, { isList, style: undefined })
              }}
            />
          )}
        </PartField>
        <WrittenAs {...props} />
        <ConstantField row={row} rows={rows} />
      </div>
      <SchemaPanel key={id} row={row} rows={rows} />
    </div>
  )
}

/** Only what the place can carry, with an example of each. */
function WrittenAs({ row, rows, form }: PartProps) {
  const { id, style } = row
  const ways = waysToWrite(row, fieldsOf(form.draft))
  const byDefault = ways.find(way => way.isDefault)
  // A style that does not fit here is shown, so that it can be changed.
  const others =
    style === undefined || ways.some(way => way.style === style) ? [] : [{ value: style, label: style }]
  if (ways.length === 0 && others.length === 0) return <span />
  const shown = style ?? byDefault?.style
  return (
    <PartField name={`parameters.${id}.style`} label="Written as">
      {field => (
        <NativeSelect
          id={field}
          size="sm"
          classNames={{ input: 'mono' }}
          rightSection={<ChevronDown size={12} className="t3" />}
          data={[...others, ...ways.map(way => ({ value: way.style, label: way.example }))]}
          value={shown}
          onChange={event => {
            const next = ParameterStyle.parse(event.currentTarget.value)
            rows.change(id, 'style', next === byDefault?.style ? undefined : next)
          }}
        />
      )}
    </PartField>
  )
}
