import { Button } from '@mantine/core'
import { Braces, Layers } from 'lucide-react'
import { useState } from 'react'
import { isObject } from '#shared/json/exact-json.ts'
import { locateInJson } from '#shared/json/locate.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { schemaProblems } from '#shared/json-schema/schema-problems.ts'
import { ParameterType } from '#shared/model/parameter.ts'
import { parameterKinds } from '#shared/model/parameter-kinds.ts'
import type { Schema } from '../../../entities/action/schema-node.ts'
import { type EditorProblem, JsonEditor } from '../../../ui/json-editor.tsx'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import { type RowIn, withUnread } from '../action-draft.ts'
import classes from './definition.module.css'
import { SchemaTree } from './schema-tree.tsx'
import type { RowActions } from './use-rows.ts'

/** The JSON Schema of a parameter: a tree to read, or JSON to change. Its problems are at their lines. */
export function SchemaPanel(props: {
  readonly row: RowIn<'parameters'>
  readonly rows: RowActions<'parameters'>
}) {
  const { row, rows } = props
  const { id, type, schema, unread, isList } = row
  const isWrong = unread?.schema !== undefined || (schema !== undefined && schemaProblems(schema).length > 0)
  const [isJson, setIsJson] = useState(isWrong)
  const [typed, setTyped] = useState('')
  // Undo and “Discard” replace what was typed.
  const isCurrent = schema !== undefined && JSON.stringify(parseJson(typed)) === JSON.stringify(schema)
  const ownSchema = { type: parameterKinds[type].schemaType }
  const text = unread?.schema ?? (isCurrent ? typed : JSON.stringify(schema ?? ownSchema, null, 2))
  useShortcut({ keys: 'alt+j', label: 'Schema as a tree or JSON', group: 'Action' }, () => setIsJson(!isJson))

  function change(next: string): void {
    setTyped(next)
    const read = parseJson(next)
    if (next.trim() === '' || JSON.stringify(read) === JSON.stringify(ownSchema))
      // It says no more than the type does.
      rows.patch(id, { schema: undefined, unread: withUnread(unread, 'schema', null) })
    else if (isObject(read))
      rows.patch(id, {
        schema: read,
        type: typeOf(read) ?? type,
        unread: withUnread(unread, 'schema', null),
      })
    else rows.patch(id, { unread: withUnread(unread, 'schema', next) })
  }
  return (
    <section className={classes.schema} aria-label="Schema" data-field={`parameters.${id}.schema`}>
      <div className={classes.schemaHead}>
        <span className="w5">Schema</span>
        {isList === true && <span className="t3 cut">of each element</span>}
        <span className="push" />
        <Button
          size="xs"
          variant="subtle"
          leftSection={isJson ? <Layers /> : <Braces />}
          onClick={() => setIsJson(!isJson)}
        >
          {isJson ? 'As a tree' : 'Edit as JSON'}
        </Button>
      </div>
      {isJson ? (
        <JsonEditor
          label="Schema as JSON"
          value={text}
          onChange={change}
          problems={schema === undefined ? none : problemsOf(schema, text)}
          minLines={4}
          maxLines={14}
          foot={false}
          frame={false}
        />
      ) : (
        <SchemaTree schema={schema ?? ownSchema} />
      )}
    </section>
  )
}

const none: readonly EditorProblem[] = []

/** Returns the problems of a schema at their places in its text. */
function problemsOf(schema: Schema, text: string): readonly EditorProblem[] {
  const problems = schemaProblems(schema)
  if (problems.length === 0 || parseJson(text) === undefined) return none
  const offsets = locateInJson(text)(problems)
  return problems.map(({ message }, index) => ({ from: offsets[index] ?? 0, message, severity: 'error' }))
}

/** Returns the type of a parameter that has the type of a schema; undefined for a schema of several. */
function typeOf({ type }: Schema): ParameterType | undefined {
  return ParameterType.options.find(one => parameterKinds[one].imported.some(name => name === type))
}
