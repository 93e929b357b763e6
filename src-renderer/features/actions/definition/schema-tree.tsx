import { useState } from 'react'
import { nodeOf, type Schema, type SchemaNode } from '../../../entities/action/schema-node.ts'
import classes from './definition.module.css'

/** Levels that are open at first. A reference to a schema around it would never end. */
const openLevels = 2

/** A JSON Schema to read: what is in it, with types and descriptions. */
export function SchemaTree({ schema }: { readonly schema: Schema }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <div className={classes.tree} tabIndex={0}>
      <Branch name={null} schema={schema} root={schema} level={0} isRequired={false} />
    </div>
  )
}

type BranchProps = {
  readonly name: string | null
  readonly schema: unknown
  readonly root: unknown
  readonly level: number
  readonly isRequired: boolean
}

function Branch({ name, schema, root, level, isRequired }: BranchProps) {
  const [isOpen, setIsOpen] = useState(level < openLevels)
  const node = nodeOf(schema, root)
  const below = partsOf(node)
  const words = (
    <>
      {name !== null && <code className={classes.fieldName}>{name}</code>}
      <code className="t3">{node.label}</code>
      {isRequired && <span className="t3">required</span>}
      <span className="t2">{aboutOf(node)}</span>
    </>
  )
  if (below.length === 0) return <div className={classes.leaf}>{words}</div>
  return (
    <details open={isOpen} onToggle={event => setIsOpen(event.currentTarget.open)}>
      <summary className={classes.branch}>{words}</summary>
      {isOpen && (
        <div className={classes.level}>
          {below.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: shapes have no names
            <Branch key={index} {...part} root={root} level={level + 1} />
          ))}
        </div>
      )}
    </details>
  )
}

/** Returns the schemas in another one. */
function partsOf(node: SchemaNode): Pick<BranchProps, 'name' | 'schema' | 'isRequired'>[] {
  switch (node.kind) {
    case 'object':
      return node.fields.map(({ name, schema, required }) => ({ name, schema, isRequired: required }))
    case 'list':
      return [{ name: 'each', schema: node.element, isRequired: false }]
    case 'union':
      return node.shapes.map(schema => ({ name: null, schema, isRequired: false }))
    default:
      return []
  }
}

/** The most values of a choice that are named. */
const maxNamed = 12

function aboutOf(node: SchemaNode): string {
  if (node.kind !== 'choice') return node.about
  const named = node.values
    .slice(0, maxNamed)
    .map(value => (typeof value === 'string' ? value : JSON.stringify(value)))
  const more = node.values.length > maxNamed ? [`${node.values.length - maxNamed} more`] : []
  return [[...named, ...more].join(', '), node.about].filter(text => text !== '').join('. ')
}
