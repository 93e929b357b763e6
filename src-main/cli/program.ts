import { Command } from 'commander'
import { version } from '#main/lib/version.ts'

/** Loads each subcommand when it runs, so that none loads the libraries of the others. */
const subcommands: Readonly<Record<string, (program: Command) => Promise<void>>> = {
  serve: async program => (await import('./serve.ts')).addServe(program),
  send: async program => (await import('./send.ts')).addSend(program),
  sign: async program => (await import('./sign.ts')).addSign(program),
  verify: async program => (await import('./verify.ts')).addVerify(program),
  list: async program => (await import('./list.ts')).addList(program),
  events: async program => (await import('./events.ts')).addEvents(program),
  attempts: async program => (await import('./attempts.ts')).addAttempts(program),
  calls: async program => (await import('./calls.ts')).addCalls(program),
  alerts: async program => (await import('./alerts.ts')).addAlerts(program),
  sender: async program => (await import('./sender.ts')).addSender(program),
  create: async program => (await import('./create.ts')).addCreate(program),
  call: async program => (await import('./call.ts')).addCall(program),
  check: async program => (await import('./check.ts')).addCheck(program),
  test: async program => (await import('./test.ts')).addTest(program),
  run: async program => (await import('./run.ts')).addRun(program),
  import: async program => (await import('./import.ts')).addImport(program),
  export: async program => (await import('./export.ts')).addExport(program),
  agent: async program => (await import('./agent.ts')).addAgent(program),
  knowledge: async program => (await import('./knowledge.ts')).addKnowledge(program),
  webhook: async program => (await import('./webhook.ts')).addWebhook(program),
  mcp: async program => (await import('./mcp.ts')).addMcp(program),
  backup: async program => (await import('./backup.ts')).addBackup(program),
  restore: async program => (await import('./restore.ts')).addRestore(program),
}

export const subcommandNames = Object.keys(subcommands)

/**
 * Creates the program with the named subcommand, or with all of them. Wrong usage prints one line on stderr and throws a
 * CommanderError.
 */
export async function createProgram(name = ''): Promise<Command> {
  const program = new Command('custom-connection')
    .description('Connects an external system with a workflow engine and an assistant.')
    .version(version)
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(`${text.trim().replaceAll('\n', ' ')} (see --help)\n`),
    })
  const named = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
  // --version needs none of them. The general help and a wrong name need all.
  const wanted = /^(-V|--version)$/.test(name) ? [] : Object.values(subcommands)
  for (const add of named === undefined ? wanted : [named]) await add(program)
  return program
}
