import { Command } from 'commander'
import { version } from '#main/lib/version.ts'
import { addBackup } from './backup.ts'
import { addCall } from './call.ts'
import { addExport } from './export.ts'
import { addImport } from './import.ts'
import { addList } from './list.ts'
import { addRestore } from './restore.ts'
import { addSend } from './send.ts'
import { addServe } from './serve.ts'
import { addSign } from './sign.ts'
import { addVerify } from './verify.ts'

/** Returns the executable's subcommands. Wrong usage throws a CommanderError after one line on stderr that explains it. */
export function createProgram(): Command {
  const program = new Command('custom-connection')
    .description('Connects an external system with a workflow engine and an assistant.')
    .version(version)
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(`${text.trim().replaceAll('\n', ' ')} (see --help)\n`),
    })
  addServe(program)
  addSend(program)
  addSign(program)
  addVerify(program)
  addList(program)
  addCall(program)
  addImport(program)
  addExport(program)
  addBackup(program)
  addRestore(program)
  return program
}
