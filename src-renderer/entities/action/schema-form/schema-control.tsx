import { Button } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { type KeyboardEvent, useId, useRef } from 'react'
import { flushSync } from 'react-dom'
import { isObject } from '#shared/json/exact-json.ts'
import { Problem } from '../../../ui/field-problem.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { type NodeOf, nodeOf, type SchemaField } from '../schema-node.ts'
import type { ControlProps } from './control-props.ts'
import { BooleanControl, ChoiceControl, NumberControl, TextControl } from './controls.tsx'
import { blankOf, hasFields, withField } from './form-value.ts'
import { JsonControl } from './json-control.tsx'
import classes from './schema-form.module.css'

/** The control of a value, by what its schema says. What a form cannot show is JSON. */
export function SchemaControl(props: ControlProps) {
  const { schema, root, value, depth } = props
  const node = nodeOf(schema, root)
  if (!hasFields(node, value, depth)) return <JsonControl {...props} />
  switch (node.kind) {
    case 'text':
      return <TextControl {...props} node={node} />
    case 'number':
      return <NumberControl {...props} />
    case 'boolean':
      return <BooleanControl {...props} />
    case 'choice':
      return <ChoiceControl {...props} node={node} />
    case 'list':
      return <ListControl {...props} node={node} items={Array.isArray(value) ? value : []} />
    case 'object':
      return <ObjectControl {...props} node={node} object={isObject(value) ? value : undefined} />
    default:
      return null
  }
}

/** The elements of a list, with a button that adds one. An empty list is left out. */
function ListControl(
  props: ControlProps & { readonly node: NodeOf<'list'>; readonly items: readonly unknown[] },
) {
  const { node, items, root, id, label, path, depth, required, onChange, form } = props
  const list = useRef<HTMLDivElement>(null)
  const change = (next: readonly unknown[]) => onChange(next.length === 0 && !required ? undefined : next)
  function focusElement(index: number): void {
    const element = list.current?.children[index]
    const target = element?.querySelector<HTMLElement>('input, select, [contenteditable="true"], button')
    if (target == null) document.getElementById(id)?.focus()
    else target.focus()
  }
  function add(): void {
    flushSync(() => change([...items, blankOf(node.element, root)]))
    focusElement(items.length)
  }
  function remove(index: number): void {
    flushSync(() => change(items.toSpliced(index, 1)))
    focusElement(Math.min(index, items.length - 2))
  }
  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    if (!event.altKey || event.defaultPrevented) return
    const index = [...(list.current?.children ?? [])].findIndex(
      one => event.target instanceof Node && one.contains(event.target),
    )
    if (event.code === 'KeyA') add()
    else if (event.key === 'Backspace' && index !== -1) remove(index)
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its fields take the keyboard
    <div className={classes.list} onKeyDown={onKeyDown}>
      <div ref={list} className={classes.elements}>
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: fields show only their values
          <div key={index} className={classes.element}>
            <span className="xs t3 num">{index + 1}</span>
            <div>
              <SchemaControl
                {...{ root, form, schema: node.element, value: item, required: true, depth: depth + 1 }}
                id={`${id}-${index}`}
                label={`${label}, number ${index + 1}`}
                path={`${path}.${index}`}
                onChange={next => change(items.with(index, next ?? blankOf(node.element, root)))}
              />
              <PathProblem form={form} path={`${path}.${index}`} />
            </div>
            <IconButton
              icon={X}
              size="xs"
              label={`Remove number ${index + 1} of ${label}`}
              onClick={() => remove(index)}
            />
          </div>
        ))}
      </div>
      <Button
        id={id}
        size="xs"
        variant="subtle"
        leftSection={<Plus />}
        aria-label={`Add to ${label}`}
        onClick={add}
      >
        Add
      </Button>
    </div>
  )
}

/** The fields of an object. An optional one is left out until it is added. */
function ObjectControl(
  props: ControlProps & {
    readonly node: NodeOf<'object'>
    readonly object: Readonly<Record<string, unknown>> | undefined
  },
) {
  const { node, object, root, id, label, path, depth, required, onChange, form } = props
  if (object === undefined && !required)
    return (
      <div className="row">
        <Button
          id={id}
          size="xs"
          variant="subtle"
          leftSection={<Plus />}
          aria-label={`Add ${label}`}
          onClick={() => onChange({})}
        >
          Add {label}
        </Button>
        <span className="xs t3">left out</span>
      </div>
    )
  const shown = object ?? {}
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out
    <div className={classes.object} role="group" aria-label={label} id={id} tabIndex={-1}>
      {node.fields.map(field => (
        <ObjectField
          key={field.name}
          {...{ field, root, form, depth: depth + 1 }}
          path={`${path}.${field.name}`}
          value={Object.hasOwn(shown, field.name) ? shown[field.name] : undefined}
          onChange={value => onChange(withField(shown, node.fields, field.name, value))}
        />
      ))}
      {!required && (
        <Button size="xs" variant="subtle" leftSection={<X />} onClick={() => onChange(undefined)}>
          Leave out {label}
        </Button>
      )}
    </div>
  )
}

function ObjectField(
  props: Pick<ControlProps, 'root' | 'path' | 'depth' | 'value' | 'onChange' | 'form'> & {
    readonly field: SchemaField
  },
) {
  const { field, ...rest } = props
  const { name, schema, required } = field
  const id = useId()
  const node = nodeOf(schema, rest.root)
  return (
    <div data-argument={rest.path}>
      <div className={classes.head}>
        <label htmlFor={id} className="cut" title={node.about}>
          {name}
        </label>
        {required && (
          <span className="bad" aria-hidden="true">
            *
          </span>
        )}
        <span className={classes.type}>{node.label}</span>
      </div>
      <SchemaControl {...rest} schema={schema} id={id} label={name} required={required} />
      <PathProblem form={rest.form} path={rest.path} />
    </div>
  )
}

function PathProblem({ form, path }: Pick<ControlProps, 'form' | 'path'>) {
  const message = form.problems.get(path)
  return message === undefined ? null : <Problem message={message} />
}
