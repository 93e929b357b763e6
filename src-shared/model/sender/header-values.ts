import type { SenderTemplate } from './sender-template.ts'

/** Returns the values of a header. A scheme may put several into one. */
export function valuesIn(header: string, { separator }: Pick<SenderTemplate, 'separator'>): string[] {
  return separator === undefined ? [header] : header.split(separator).map(value => value.trim())
}

/** Returns the timestamps in their header, without their prefix. One is right; none of them is checked. */
export function timestampsIn(
  header: string,
  template: Pick<SenderTemplate, 'separator' | 'timestampPrefix'>,
): string[] {
  const { timestampPrefix: prefix = '' } = template
  const values = prefix === '' ? [header] : valuesIn(header, template)
  return values.filter(value => value.startsWith(prefix)).map(value => value.slice(prefix.length))
}
