import type { BucketCount, Buckets, CauseCount, OccurrenceFilter } from '../occurrence-storage.ts'
import type { Row } from './connect.ts'
import { fromStored, toStored } from './stored-text.ts'

/** Returns whether the columns have all that a count needs. */
export const isIndexed = ({ text = '', subjects, sources, causes }: OccurrenceFilter) =>
  text === '' && subjects === undefined && sources === undefined && causes === undefined

/**
 * Returns the condition of a count, its values and a name for statements with it. It has only the filters that are given:
 * PostgreSQL would check the others for each row, which takes as long as the count.
 */
function counted({ kinds, connectionIds, cause, failed, ...range }: OccurrenceFilter) {
  const { above = -1, below = Number.MAX_SAFE_INTEGER } = range
  const values: unknown[] = [kinds, above, below]
  const conditions = ['kind = ANY ($1::text[])', 'number > $2', 'number < $3']
  const names: string[] = []
  if (connectionIds !== null) {
    const place = values.push(connectionIds.map(id => toStored(id ?? '')))
    conditions.push(`connection = ANY ($${place}::text[])`)
    names.push('connections')
  }
  if (cause !== undefined) {
    conditions.push(`cause = $${values.push(toStored(cause))}`)
    names.push('cause')
  }
  if (failed !== undefined) {
    conditions.push(failed ? 'cause IS NOT NULL' : 'cause IS NULL')
    names.push(failed ? 'failed' : 'ok')
  }
  return { values, from: `FROM occurrence WHERE ${conditions.join(' AND ')}`, name: names.join('_') }
}

/** Returns a statement that counts by kind, connection and cause, and its values. Its rows are for `causeCountOf`. */
export function causesStatement(filter: OccurrenceFilter) {
  const { values, from, name } = counted(filter)
  const text = `SELECT kind, connection, cause, count(*) AS records, min(number) AS first, max(number) AS last ${from}
    GROUP BY kind, connection, cause`
  return { statement: { name: `count_causes_${name}`, text }, values }
}

export const causeCountOf = ({ kind, connection, cause, records, first, last }: Row): CauseCount => ({
  kind: String(kind),
  connectionId: fromStored(String(connection)) || null,
  cause: cause === null ? null : fromStored(String(cause)),
  count: Number(records),
  first: Number(first),
  last: Number(last),
})

/** Returns a statement that counts in buckets, and its values. Its rows are for `bucketCountOf`. */
export function bucketsStatement(filter: OccurrenceFilter, { from: start, width }: Buckets) {
  const { values, from, name } = counted(filter)
  const [first, size] = [values.push(start), values.push(width)]
  const text = `SELECT kind, cause IS NOT NULL AS failed, (number - $${first}::bigint) / $${size}::bigint AS bucket,
    count(*) AS records ${from} GROUP BY 1, 2, 3`
  return { statement: { name: `count_buckets_${name}`, text }, values }
}

export const bucketCountOf = ({ kind, failed, bucket, records }: Row): BucketCount => ({
  kind: String(kind),
  failed: failed === true,
  bucket: Number(bucket),
  count: Number(records),
})
