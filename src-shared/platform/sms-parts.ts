/** The characters of GSM 03.38. Those of its extension take two places. */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
const extension = new Set('\f^{}\\[~]|€')

/** How a text is sent as a text message. */
export type SmsParts = {
  /** Unicode as soon as one character is not in GSM 03.38. */
  readonly encoding: 'GSM-7' | 'Unicode'
  readonly parts: number
}

/** Returns the encoding of a text message and in how many parts it is sent. No character is split between parts. */
export function smsParts(text: string): SmsParts {
  const characters = [...text]
  const isGsm = characters.every(one => basic.has(one) || extension.has(one))
  const [single, each] = isGsm ? [160, 153] : [70, 67]
  let parts = 1
  let total = 0
  let left = each
  for (const character of characters) {
    const size = isGsm ? (extension.has(character) ? 2 : 1) : character.length
    total += size
    if (size > left) {
      parts++
      left = each
    }
    left -= size
  }
  return { encoding: isGsm ? 'GSM-7' : 'Unicode', parts: total <= single ? 1 : parts }
}
