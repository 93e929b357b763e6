import type { Command } from 'commander'
import { z } from 'zod'
import { parseBody } from '#main/inbound/body.ts'
import { verifySender } from '#main/inbound/verify-sender.ts'
import { diagnose } from '#main/signing/diagnose.ts'
import { type HeaderFields, headerIn } from '#main/signing/header-fields.ts'
import { signatureHeader, timestampHeader } from '#main/signing/sign.ts'
import { verificationKeysOf, verifyRequest } from '#main/signing/verify.ts'
import { isAboutSignature } from '#shared/errors/inbound.ts'
import { errorCatalogue } from '#shared/errors.ts'
import { defaultSender } from '#shared/model/sender/sender.ts'
import { TimeText } from '#shared/time.ts'
import { readInput } from './input.ts'
import { JsonFlag, jsonOption, parseOptions, refuseUsage, repeatable } from './options.ts'
import { CommandFailed, print, printLine } from './output.ts'
import {
  addScheme,
  addSecretOptions,
  readSigning,
  type Signing,
  schemeField,
  secretFields,
} from './signing-secret.ts'

const HeaderLine = z
  .string()
  .regex(/^[^:\s]+:/, 'Write a header as NAME: VALUE.')
  .transform((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })

const VerifyOptions = z.object({
  ...secretFields,
  ...schemeField,
  timestamp: z.string().optional(),
  signature: z.string().optional(),
  header: z.array(HeaderLine).default([]),
  body: z.string(),
  now: TimeText.optional(),
  json: JsonFlag,
})

export function addVerify(program: Command): void {
  const command = program
    .command('verify')
    .description('Verify a captured request as the inbound endpoint would, and explain any error.')
  addScheme(addSecretOptions(command))
    .option('--timestamp <text>', 'the header x-service-timestamp as received')
    .option('--signature <text>', 'the header x-service-signature as received')
    .option('--header <name: value>', 'a header as received, for every scheme; repeatable', repeatable)
    .option('--body <text>', 'the body, @file, or - for stdin', '-')
    .option('--now <time>', 'the time of the check, for an old request (default: now)')
    .addOption(jsonOption)
    .action(runVerify)
}

async function runVerify(_options: unknown, command: Command): Promise<void> {
  const { timestamp, signature, json, ...options } = parseOptions(command, VerifyOptions)
  const headers: HeaderFields = [
    ...options.header,
    ...(timestamp === undefined ? [] : [[timestampHeader, timestamp] as const]),
    ...(signature === undefined ? [] : [[signatureHeader, signature] as const]),
  ]
  if (headers.length === 0)
    refuseUsage(command, 'Give --timestamp and --signature, or the headers of the request with --header.')
  const signing = await readSigning(command, options)
  const rawBody = await readInput(options.body, 'the body')
  const nowMs = options.now ?? Date.now()
  const checked = check(signing, headers, rawBody, nowMs)
  if (checked === null) return json ? printLine({ ok: true }) : print('ok')
  const { code, message } = checked
  const { sender, secret, url } = signing
  const diagnosis = isAboutSignature(code) ? diagnose({ sender, secret, headers, url, rawBody, nowMs }) : null
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

/** Returns why a request would be refused; null if it would be accepted. */
function check(
  { sender, secret, url }: Signing,
  headers: HeaderFields,
  body: Buffer,
  nowMs: number,
): { readonly code: string; readonly message: string } | null {
  if (sender.scheme !== defaultSender.scheme) {
    const secrets = [{ secret, expiresAt: null }]
    const { code, message } = verifySender({ sender, secrets, rawHeaders: headers.flat(), body, url, nowMs })
    return code === null ? null : { code, message: message ?? '' }
  }
  const [timestamp, signature] = [headerIn(headers, timestampHeader), headerIn(headers, signatureHeader)]
  const keys = verificationKeysOf({ signingSecret: secret })
  const verification = verifyRequest({ keys, timestamp, signature, rawBody: body, nowMs })
  const checked = verification.ok ? parseBody(body) : verification
  if (checked.ok) return null
  const detail = 'detail' in checked ? checked.detail : undefined
  return { code: checked.code, message: detail ?? errorCatalogue[checked.code].message }
}
