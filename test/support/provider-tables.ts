import { waiting } from '../fixtures/senders/waiting-providers.ts'
import { type Working, working } from '../fixtures/senders/working-providers.ts'

type Provider = { readonly provider: string; readonly docs: string; readonly isChecked?: boolean }

/** Returns the tables of the providers, as docs/senders.md has them. */
export function providerTables(): string {
  return [
    '| provider | `scheme` | further settings |',
    '|---|---|---|',
    ...rows(working, ({ sender }) => `\`${sender.scheme}\` | ${settingsOf(sender)}`),
    '',
    'These do not come in yet:',
    '',
    '| provider | what it needs |',
    '|---|---|',
    ...rows(waiting, ({ needs }) => needs),
    '',
    '¹ Not compared with the documentation of the provider.',
  ].join('\n')
}

function rows<Row extends Provider>(list: readonly Row[], cells: (row: Row) => string): string[] {
  return list
    .toSorted((one, other) => one.provider.localeCompare(other.provider, 'en'))
    .map(row => {
      const mark = row.isChecked === true ? '' : ' ¹'
      return `| [${row.provider}](${row.docs})${mark} | ${cells(row)} |`
    })
}

function settingsOf({ scheme: _, ...others }: Working['sender']): string {
  return Object.keys(others).length === 0 ? '' : `\`${JSON.stringify(others)}\``
}
