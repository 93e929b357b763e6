import type { Sender } from '#shared/model/sender/sender.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { quote } from '../../../entities/snippet/quote.ts'

/** Returns the command that sends an event as the sender of a connection signs it, with a comment for its reader. */
export function sendCommand(sender: Sender, connection: string, eventName: string, data: string): string {
  const { title } = schemes[sender.scheme]
  const scheme = sender.scheme === 'template' ? 'in its own scheme' : `as ${title}`
  return [
    `# The sender of this connection signs ${scheme}, not as Custom Connection.`,
    '# This command signs an event in the same way:',
    `custom-connection send ${quote.curl(eventName)} \\`,
    `  --connection ${quote.curl(connection)} \\`,
    `  --data ${quote.curl(data)}`,
  ].join('\n')
}
