import { isObject } from '../zod-problems.ts'

/** The own field of an object; undefined where there is none, or `value` is no object. */
export function field(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** The own field where it is a text that says something. */
export function textField(value: unknown, name: string): string | null {
  const found = field(value, name)
  return typeof found === 'string' && found.trim() !== '' ? found.trim() : null
}

export function listField(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name)
  return Array.isArray(found) ? found : []
}

export function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}
