import { presetNames, schemes } from '#shared/model/sender/templates.ts'
import { type Working, working } from '../fixtures/senders/working-providers.ts'

type Provider = { readonly provider: string; readonly docs: string; readonly isChecked?: boolean }

const titles: readonly string[] = presetNames.map(name => schemes[name].title)
const withoutPreset = working.filter(({ provider }) => !titles.includes(provider))

/** Returns the table of the providers without a preset, as docs/senders.md has it. */
export function providerTables(): string {
  return [
    '| provider | `scheme` | further settings |',
    '|---|---|---|',
    ...rows(withoutPreset, ({ sender }) => `\`${sender.scheme}\` | ${settingsOf(sender)}`),
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
