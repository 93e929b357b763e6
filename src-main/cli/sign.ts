import type { Command } from 'commander'
import { z } from 'zod'
import { newRequestId, signerOf } from '#main/signing/sign-as.ts'
import { TimeText } from '#shared/time.ts'
import { readInput } from './input.ts'
import { JsonFlag, jsonOption, parseOptions } from './options.ts'
import { print, printLine } from './output.ts'
import { addScheme, addSecretOptions, readSigning, schemeField, secretFields } from './signing-secret.ts'

const SignOptions = z.object({
  ...secretFields,
  ...schemeField,
  timestamp: TimeText.optional(),
  body: z.string(),
  json: JsonFlag,
})

export function addSign(program: Command): void {
  const command = program
    .command('sign')
    .description('Print the headers that sign a body, ready for curl -H.')
  addScheme(addSecretOptions(command))
    .option('--timestamp <time>', 'milliseconds since 1970, or ISO 8601 with an offset (default: now)')
    .option('--body <text>', 'the body, @file, or - for stdin; empty for a GET', '-')
    .addOption(jsonOption)
    .action(runSign)
}

async function runSign(_options: unknown, command: Command): Promise<void> {
  const options = parseOptions(command, SignOptions)
  const { sender, secret, url } = await readSigning(command, options)
  const body = await readInput(options.body, 'the body')
  const sign = signerOf(sender, secret)
  const headers = sign(body, options.timestamp ?? Date.now(), { id: newRequestId(), url })
  if (options.json) printLine(headers)
  else print(...Object.entries(headers).map(([name, value]) => `${name}: ${value}`))
}
