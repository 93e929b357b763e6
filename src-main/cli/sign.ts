import type { Command } from 'commander'
import { z } from 'zod'
import { signedHeaders } from '#main/signing/sign.ts'
import { SigningKey } from '#main/signing/signing-key.ts'
import { TimeText } from '#shared/time.ts'
import { readInput } from './input.ts'
import { JsonFlag, jsonOption, parseOptions } from './options.ts'
import { print, printLine } from './output.ts'
import { addSecretOptions, readSecret, secretFields } from './signing-secret.ts'

const SignOptions = z.object({
  ...secretFields,
  timestamp: TimeText.optional(),
  body: z.string(),
  json: JsonFlag,
})

export function addSign(program: Command): void {
  const command = program
    .command('sign')
    .description('Print the two signature headers for a body, ready for curl -H.')
  addSecretOptions(command)
    .option('--timestamp <time>', 'milliseconds since 1970, or ISO 8601 with an offset (default: now)')
    .option('--body <text>', 'the body, @file, or - for stdin; empty for a GET', '-')
    .addOption(jsonOption)
    .action(runSign)
}

async function runSign(_options: unknown, command: Command): Promise<void> {
  const options = parseOptions(command, SignOptions)
  const key = new SigningKey(await readSecret(command, options))
  const body = await readInput(options.body, 'the body')
  const headers = signedHeaders(key, options.timestamp ?? Date.now(), body)
  if (options.json) printLine(headers)
  else print(...Object.entries(headers).map(([name, value]) => `${name}: ${value}`))
}
