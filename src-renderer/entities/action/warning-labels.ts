import type { ToolWarning } from '#shared/model/tool-warning.ts'
import { formatBytes, formatCount } from '../../ui/format.ts'

/** Returns what is wrong with a tool, and what to do. */
export function warningLabels(warning: ToolWarning): { readonly problem: string; readonly remedy: string } {
  switch (warning.code) {
    case 'no_use_case':
      return {
        problem: 'The description does not say when to use the tool',
        remedy: 'Add a sentence such as “Use it when the customer names an order.”',
      }
    case 'long_description':
      return {
        problem: `The description is long: ${formatCount(warning.characters, 'character')}`,
        remedy: 'Every conversation pays for it. Keep what decides whether and how to call the tool.',
      }
    case 'undescribed_parameter':
      return {
        problem: `The parameter ${warning.parameter} is not described`,
        remedy: 'Say what the value is and how it looks, such as “Order number, such as ORD-20418”.',
      }
    case 'look_alike':
      return {
        problem: `It looks like ${warning.toolName}`,
        remedy: 'In both descriptions, say when to use each tool.',
      }
    case 'large_response':
      return {
        problem: `The last response had ${formatBytes(warning.bytes)} and no mapping`,
        remedy: 'Map the fields that the model needs. It reads everything else too.',
      }
  }
}

/** Returns a line about all tools: “1 description is long”, or “3 tools have warnings”. Null for none. */
export function warningSummary(
  tools: readonly { readonly warnings: readonly ToolWarning[] }[],
): string | null {
  const warned = tools.filter(({ warnings }) => warnings.length > 0)
  if (warned.length === 0) return null
  const areLong = warned.every(({ warnings }) => warnings.every(({ code }) => code === 'long_description'))
  if (areLong)
    return warned.length === 1
      ? '1 description is long'
      : `${formatCount(warned.length, 'description')} are long`
  return `${formatCount(warned.length, 'tool')} ${warned.length === 1 ? 'has' : 'have'} warnings`
}
