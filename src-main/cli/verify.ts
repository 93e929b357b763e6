import type { Command } from 'commander'
import { z } from 'zod'
import { parseBody } from '#main/inbound/body.ts'
import { diagnose } from '#main/signing/diagnose.ts'
import { signatureHeader, timestampHeader } from '#main/signing/sign.ts'
import { verificationKeysOf, verifyRequest } from '#main/signing/verify.ts'
import { errorCatalogue } from '#shared/errors.ts'
import { defaultSender } from '#shared/model/sender/sender.ts'
import { TimeText } from '#shared/time.ts'
import { readInput } from './input.ts'
import { JsonFlag, jsonOption, parseOptions } from './options.ts'
import { CommandFailed, print, printLine } from './output.ts'
import { addSecretOptions, readSecret, secretFields } from './signing-secret.ts'

const VerifyOptions = z.object({
  ...secretFields,
  timestamp: z.string(),
  signature: z.string(),
  body: z.string(),
  now: TimeText.optional(),
  json: JsonFlag,
})

export function addVerify(program: Command): void {
  const command = program
    .command('verify')
    .description('Verify a captured request as the inbound endpoint would, and explain any error.')
  addSecretOptions(command)
    .requiredOption('--timestamp <text>', 'the header x-service-timestamp as received')
    .requiredOption('--signature <text>', 'the header x-service-signature as received')
    .option('--body <text>', 'the body, @file, or - for stdin', '-')
    .option('--now <time>', 'the time of the check, for an old request (default: now)')
    .addOption(jsonOption)
    .action(runVerify)
}

async function runVerify(_options: unknown, command: Command): Promise<void> {
  const { timestamp, signature, json, ...options } = parseOptions(command, VerifyOptions)
  const secret = await readSecret(command, options)
  const rawBody = await readInput(options.body, 'the body')
  const nowMs = options.now ?? Date.now()
  const keys = verificationKeysOf({ signingSecret: secret })
  const verification = verifyRequest({ keys, timestamp, signature, rawBody, nowMs })
  const checked = verification.ok ? parseBody(rawBody) : verification
  if (checked.ok) return json ? printLine({ ok: true }) : print('ok')
  const { code } = checked
  const message = ('detail' in checked ? checked.detail : undefined) ?? errorCatalogue[code].message
  const headers = [
    [timestampHeader, timestamp],
    [signatureHeader, signature],
  ] as const
  const clues = { secret, sender: defaultSender, headers, rawBody, nowMs }
  const diagnosis = verification.ok ? null : diagnose(clues)
  if (json) printLine({ ok: false, code, message, diagnosis })
  else {
    print(`${code}: ${message}`)
    if (diagnosis !== null) print(`${diagnosis.code}: ${diagnosis.message}`)
    const difference = diagnosis?.difference
    // As JSON, so that line breaks are visible.
    if (difference !== undefined)
      print(`Signed: ${JSON.stringify(difference.signed)}`, `Sent:   ${JSON.stringify(difference.sent)}`)
  }
  throw new CommandFailed()
}
