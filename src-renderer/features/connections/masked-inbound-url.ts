export const mask = '•'.repeat(12)

/** A signing secret that is not shown. */
export const maskedSecret = `whsec_${'•'.repeat(12)}`

/** The inbound URL with dots for its token. @param base the workspace's public address, or the service's. */
export function maskedInboundUrl(base: string): string {
  return `${base}/api/connect/${mask}/events`
}
