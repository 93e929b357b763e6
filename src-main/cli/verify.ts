import type { Command } from 'commander'
import { z } from 'zod'
import { parseBody } from '#main/inbound/body.ts'
import { diagnose } from '#main/signing/diagnose.ts'
import { verificationKeysOf, verifyRequest } from '#main/signing/verify.ts'
import { errorCatalogue } from '#shared/errors.ts'
import { readInput, requireSecret, secretOption } from './input.ts'
import { JsonFlag, jsonOption, MomentOption, parseOptions, TextOption } from './options.ts'
import { CommandFailed, print, printLine } from './output.ts'

const VerifyOptions = z.object({
  secret: TextOption,
  timestamp: z.string(),
  signature: z.string(),
  body: z.string(),
  now: MomentOption.optional(),
  json: JsonFlag,
})

export function addVerify(program: Command): void {
  program
    .command('verify')
    .description('Check a received request as the inbound endpoint does, and say what is wrong with it.')
    .addOption(secretOption())
    .requiredOption('--timestamp <text>', 'the header x-service-timestamp as received')
    .requiredOption('--signature <text>', 'the header x-service-signature as received')
    .option('--body <text>', 'the body, @file, or - for stdin', '-')
    .option('--now <ms>', 'the moment to judge at, for an old request (default: now)')
    .addOption(jsonOption)
    .action(runVerify)
}

async function runVerify(_options: unknown, command: Command): Promise<void> {
  const { timestamp, signature, json, ...options } = parseOptions(command, VerifyOptions)
  const secret = await requireSecret(command, options.secret)
  const rawBody = await readInput(options.body, 'the body')
  const nowMs = options.now ?? Date.now()
  const keys = verificationKeysOf({ signingSecret: secret })
  const verification = verifyRequest({ keys, timestamp, signature, rawBody, nowMs })
  if (verification.ok) {
    const body = parseBody(rawBody)
    if (!body.ok) {
      const message = body.detail ?? errorCatalogue[body.code].message
      if (json) printLine({ ok: false, code: body.code, message, diagnosis: null })
      else print(`${body.code}: ${message}`)
      throw new CommandFailed()
    }
    if (json) printLine({ ok: true })
    else print('ok')
    return
  }
  const { code } = verification
  const { message } = errorCatalogue[code]
  const diagnosis = diagnose({
    secret,
    timestampHeader: timestamp,
    signatureHeader: signature,
    rawBody,
    nowMs,
  })
  if (json) printLine({ ok: false, code, message, diagnosis })
  else {
    const { difference } = diagnosis
    print(`${code}: ${message}`, `${diagnosis.code}: ${diagnosis.message}`)
    // As JSON texts, so that a line break can be seen.
    if (difference !== undefined)
      print(`Signed: ${JSON.stringify(difference.signed)}`, `Sent:   ${JSON.stringify(difference.sent)}`)
  }
  throw new CommandFailed()
}
