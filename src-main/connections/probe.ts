import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Probes } from '#main/inbound/probes.ts'
import { inboundPath } from '#main/inbound/route.ts'
import { decode, isEncoded, whole } from '#main/outbound/decode-body.ts'
import { failureOf } from '#main/outbound/failures.ts'
import { createSender, defaultLimits } from '#main/outbound/send.ts'
import type { Trust } from '#main/outbound/trust.ts'
import { signatureHeader, signedHeaders, timestampHeader } from '#main/signing/sign.ts'
import { SigningKey } from '#main/signing/signing-key.ts'
import type { ProbeResult } from '#shared/model/probe.ts'
import { evaluateProbe, type ProbeOutcome } from './evaluate-probe.ts'
import { newInboundToken, newSigningSecret, type RandomBytes } from './identifiers.ts'

/** Milliseconds for the whole probe. */
const timeoutMs = 10_000
const limits = { ...defaultLimits, bodyBytes: 64 * 1024 }

/** Parsing and reformatting this always changes it: spaces, escapes, order, digits, line endings. */
const probeBody =
  '{ "event" : "custom_connection.probe",\r\n\t"data":{"z":1.0,"a":"\\u00e9 é \\ud83d\\ude00 😀 漢 \\/ <&>",' +
  '"n":12345678901234567890,"e":1E2 } }\n'

export type ProbeParts = {
  readonly probes: Probes
  readonly trust: Pick<Trust, 'context'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  /** This program's version, for User-Agent. */
  readonly version: string
  /** Replaces the system's resolver in tests. */
  readonly lookup?: LookupFunction
}

/**
 * Sends a signed event to a public address like an external system, and returns whether it arrives at this service's
 * listener unchanged. It uses its own token and secret, and causes no trigger, attempt or activity. Never rejects.
 *
 * @param publicBaseUrl the part of the URL before `/api/connect/`.
 * @param listenerUrl the expected destination, for the message.
 */
export async function probe(
  parts: ProbeParts,
  publicBaseUrl: string,
  listenerUrl: string,
  signal?: AbortSignal,
): Promise<ProbeResult> {
  const { probes, clock, random, version } = parts
  const token = newInboundToken(random)
  const url = new URL(publicBaseUrl + inboundPath(token))
  const bytes = Buffer.from(probeBody)
  const signed = signedHeaders(new SigningKey(newSigningSecret(random)), Math.floor(clock()), bytes)
  const expected = await probes.expect(token)
  const sender = createSender({ lookup: parts.lookup ?? lookup, context: parts.trust.context, limits })
  try {
    const request = {
      method: 'POST',
      origin: url.origin,
      target: url.pathname,
      headers: () => ({
        'User-Agent': `custom-connection/${version}`,
        'Content-Type': 'application/json',
        ...signed,
      }),
      body: probeBody,
      bytes,
    }
    const sentAt = await sender.send(request, timeoutMs, signal)
    const outcome: ProbeOutcome = {
      host: url.host,
      listenerUrl,
      sent: { token, body: bytes, timestamp: signed[timestampHeader], signature: signed[signatureHeader] },
      arrival: await expected.arrival(),
      answered: await answeredOf(sentAt, url.host),
    }
    const verdict = evaluateProbe(outcome)
    const status = 'answer' in outcome.answered ? outcome.answered.answer.status : null
    return { ok: verdict.code === 'ok', ...verdict, status, totalMs: sentAt.timings.totalMs }
  } finally {
    expected.stop()
    await sender.close()
  }
}

type Sent = Awaited<ReturnType<ReturnType<typeof createSender>['send']>>

async function answeredOf(sent: Sent, host: string): Promise<ProbeOutcome['answered']> {
  if ('error' in sent) return { failure: failureOf({ ...sent, host, timeoutMs, limits }) }
  const { answer } = sent
  const { body } = isEncoded(answer) ? await decode(answer, limits) : whole(answer.body, limits)
  return {
    answer: { status: answer.status, headers: answer.headers, bodyText: body?.toString('utf8') ?? '' },
  }
}
