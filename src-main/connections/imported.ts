import { createHash } from 'node:crypto'
import type { ActionRecord, EventTypeRecord } from '#main/storage/config.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import type { Imported } from '#shared/model/imported.ts'

type ActionContent = Omit<ActionRecord, 'actionId' | 'createdAt' | 'updatedAt' | 'imported' | 'toolName'>
type EventTypeContent = Pick<EventTypeRecord, 'label' | 'samplePayload' | 'sampleText'>
export type Fields = ReadonlyMap<string, unknown>

/**
 * Returns the fields of an action that are compared with a document, each header and parameter by its name. Its tool name
 * is not one: clients know the action by it, so an import never changes it.
 */
export function fieldsOfAction(action: ActionContent): Fields {
  const { name, description, method, path, headers, parameters, sendsBody, responseMapping, isEnabled } =
    action
  return new Map<string, unknown>([
    ...Object.entries({ name, description, method, path }),
    ...Object.entries(headers ?? {}).map(([header, value]): [string, unknown] => [
      `headers.${header}`,
      value,
    ]),
    ...parameters.map((parameter): [string, unknown] => [`parameters.${parameter.name}`, parameter]),
    ...(sendsBody === undefined ? [] : [['sendsBody', sendsBody] as const]),
    ['responseMapping', responseMapping],
    ['isEnabled', isEnabled],
  ])
}

/** Returns the fields of an event type that are compared with a document. */
export function fieldsOfEventType({ label, samplePayload, sampleText }: EventTypeContent): Fields {
  const sample = sampleText === null ? samplePayload : parseExact(sampleText)
  return new Map([
    ['label', label],
    ['samplePayload', sample],
  ])
}

/** Returns a short digest of a value; null for none. Equal objects whose keys are in another order are not the same. */
export function fieldDigest(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 12)
}

/**
 * Returns what a record keeps of its document after a change. A field that is again as the document had it is no longer
 * an own one.
 *
 * @param now ISO 8601.
 */
export function afterEdit(imported: Imported, before: Fields, after: Fields, now: string): Imported {
  const own = new Map(Object.entries(imported.own ?? {}))
  for (const field of new Set([...before.keys(), ...after.keys()])) {
    const [old, digest] = [fieldDigest(before.get(field)), fieldDigest(after.get(field))]
    if (old === digest) continue
    const was = own.get(field)?.was ?? old
    if (was === digest) own.delete(field)
    else own.set(field, { at: now, was })
  }
  return withOwn(imported.operation, own)
}

/** @param own the fields that differ from the document. */
export function withOwn(
  operation: string,
  own: ReadonlyMap<string, NonNullable<Imported['own']>[string]>,
): Imported {
  return { operation, ...(own.size > 0 && { own: Object.fromEntries(own) }) }
}
