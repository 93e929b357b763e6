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
import type { Diagnosis } from '#shared/model/diagnosis.ts'
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
  method: z.enum(['GET', 'HEAD', 'POST']).optional(),
  query: z.string().optional(),
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
    .option('--method <method>', 'GET or HEAD, for a question of the sender (default: POST)')
    .option('--query <text>', 'what follows the question mark of its URL')
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
  const { method = 'POST', query = '' } = options
  if (headers.length === 0 && query === '')
    refuseUsage(command, 'Give --timestamp and --signature, or the headers of the request with --header.')
  const signed = await readSigning(command, options)
  const signing = { ...signed, url: query === '' ? signed.url : `${signed.url}?${query}` }
  const rawBody = method === 'POST' ? await readInput(options.body, 'the body') : Buffer.alloc(0)
  const nowMs = options.now ?? Date.now()
  const checked = check(signing, { headers, method, body: rawBody }, nowMs)
  if ('ok' in checked) return json ? printLine(checked) : print(okText(checked))
  const { code, message } = checked
  const { sender, secret, url } = signing
  const diagnosis =
    checked.diagnosis !== undefined || !isAboutSignature(code)
      ? (checked.diagnosis ?? null)
      : diagnose({ sender, secret, headers, url, rawBody, nowMs })
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

/** A request that would be accepted, with the body that a question of the sender is answered with. */
type Passed = { readonly ok: true; readonly challenge?: string | undefined }

function okText({ challenge }: Passed): string {
  if (challenge === undefined) return 'ok'
  return challenge === ''
    ? 'ok: a question, answered without a body'
    : `ok: a question, answered with ${challenge}`
}

/** A request that would be refused, with the mistake in a question; left out where the signature has it. */
type Failed = {
  readonly code: string
  readonly message: string
  readonly diagnosis?: Diagnosis | null | undefined
}

type Received = { readonly headers: HeaderFields; readonly method: string; readonly body: Buffer }

/** Returns whether a request would be accepted, or why it would be refused. */
function check(
  { sender, secret, url, verifyToken }: Signing,
  { headers, method, body }: Received,
  nowMs: number,
): Passed | Failed {
  if (sender.scheme !== defaultSender.scheme) {
    const secrets = [{ secret, expiresAt: null }]
    const request = { sender, secrets, rawHeaders: headers.flat(), method, body, url, verifyToken, nowMs }
    const { code, message, challenge, diagnosis } = verifySender(request)
    if (code !== null) return { code, message: message ?? '', diagnosis }
    return { ok: true, ...(challenge !== null && { challenge }) }
  }
  const [timestamp, signature] = [headerIn(headers, timestampHeader), headerIn(headers, signatureHeader)]
  const keys = verificationKeysOf({ signingSecret: secret })
  const verification = verifyRequest({ keys, timestamp, signature, rawBody: body, nowMs })
  const checked = verification.ok ? parseBody(body) : verification
  if (checked.ok) return { ok: true }
  const detail = 'detail' in checked ? checked.detail : undefined
  return { code: checked.code, message: detail ?? errorCatalogue[checked.code].message }
}
