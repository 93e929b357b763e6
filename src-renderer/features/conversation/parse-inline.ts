/** A piece of a line of text. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis' | 'deleted'; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly children: readonly Inline[] }

/** A marker that is open while its text is read. */
type Frame = { readonly marker: string; readonly children: Inline[] }

const longestUrl = 2048

/**
 * Parses the Markdown of one paragraph: emphasis, code and links. Everything else, HTML included, stays text. An image
 * becomes a link, since loading it would tell its server that it was read.
 *
 * Each kind of marker can be open only once, so the time is linear and the depth small whatever the text is.
 */
export function parseInline(text: string): Inline[] {
  const root: Frame = { marker: '', children: [] }
  const frames: Frame[] = [root]
  const codeEnds = findCodeEnds(text)
  let plain = ''

  const top = () => frames.at(-1) ?? root
  function flush(): void {
    if (plain !== '') top().children.push({ kind: 'text', text: plain })
    plain = ''
  }
  /** Turns the innermost marker, which was never closed, back into text. */
  function abandon(): void {
    flush()
    const frame = frames.pop()
    if (frame !== undefined) top().children.push({ kind: 'text', text: frame.marker }, ...frame.children)
  }
  /** Closes the marker if it is open. Those opened after it stay text. */
  function close(marker: string, wrap: (children: Inline[]) => Inline[]): void {
    while (top().marker !== marker) abandon()
    flush()
    const frame = frames.pop()
    top().children.push(...wrap(frame?.children ?? []))
  }
  function open(marker: string): void {
    flush()
    frames.push({ marker, children: [] })
  }

  let at = 0
  while (at < text.length) {
    const character = text[at] ?? ''
    if (character === '\\' && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? '')) {
      plain += text[at + 1]
      at += 2
    } else if (character === '`') {
      const length = runLength(text, at)
      const end = codeEnds.get(at)
      if (end === undefined) plain += text.slice(at, at + length)
      else {
        flush()
        top().children.push({ kind: 'code', text: trimCode(text.slice(at + length, end)) })
      }
      at = (end ?? at) + length
    } else if (character === '*' || character === '_' || character === '~') {
      const marker = text.startsWith(character.repeat(2), at) ? character.repeat(2) : character
      const kind = kindOf(marker)
      const before = text[at - 1] ?? ' '
      const after = text[at + marker.length] ?? ' '
      const isInWord = character === '_' && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after)
      const isOpen = frames.some(frame => frame.marker === marker)
      if (kind === null || isInWord) plain += marker
      else if (isOpen && !/\s/.test(before)) close(marker, children => [{ kind, children }])
      else if (!isOpen && !/\s/.test(after)) open(marker)
      else plain += marker
      at += marker.length
    } else if (character === '[' && !frames.some(({ marker }) => marker.endsWith('['))) {
      const isImage = plain.endsWith('!')
      if (isImage) plain = plain.slice(0, -1)
      open(isImage ? '![' : '[')
      at++
    } else if (character === ']') {
      const target = readTarget(text, at + 1)
      const marker = frames.find(frame => frame.marker.endsWith('['))?.marker
      if (marker !== undefined && target !== null) {
        const { href } = target
        close(marker, children =>
          href === null ? children : [{ kind: 'link', href, children: named(children, href) }],
        )
        at = target.end
      } else {
        while (marker !== undefined && frames.some(frame => frame.marker === marker)) abandon()
        plain += character
        at++
      }
    } else if (character === 'h' && isUrlStart(text, at)) {
      const url = bareUrl(text, at)
      const href = safeUrl(url)
      if (href === null || frames.some(({ marker }) => marker.endsWith('['))) plain += url
      else {
        flush()
        top().children.push({ kind: 'link', href, children: [{ kind: 'text', text: url }] })
      }
      at += url.length
    } else {
      plain += character
      at++
    }
  }
  while (frames.length > 1) abandon()
  flush()
  return root.children
}

/** Returns where the code that begins at each run of backticks ends: at the next run of the same length. */
function findCodeEnds(text: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>()
  const next = new Map<number, number>()
  for (const { index, 0: run } of [...text.matchAll(/`+/g)].reverse()) {
    const end = next.get(run.length)
    if (end !== undefined) ends.set(index, end)
    next.set(run.length, index)
  }
  return ends
}

function runLength(text: string, at: number): number {
  let end = at
  while (text[end] === '`') end++
  return end - at
}

/** Code that contains a backtick is written with a space on both sides. */
const trimCode = (code: string) =>
  code.length > 2 && code.startsWith(' ') && code.endsWith(' ') ? code.slice(1, -1) : code

function kindOf(marker: string): 'strong' | 'emphasis' | 'deleted' | null {
  if (marker === '~~') return 'deleted'
  if (marker === '~') return null
  return marker.length === 2 ? 'strong' : 'emphasis'
}

type Target = { readonly href: string | null; readonly end: number }

/** Reads `(url)` or `(url "title")`. Stops at a bracket, so that each character is read once. */
function readTarget(text: string, at: number): Target | null {
  if (text[at] !== '(') return null
  let depth = 0
  let end = at + 1
  for (; end < text.length && end - at <= longestUrl; end++) {
    const character = text[end] ?? ''
    if (/[\s[\]]/.test(character)) break
    if (character === '(') depth++
    if (character === ')' && depth-- === 0) break
  }
  const title = /^ "[^"\n[\]]{0,300}"/.exec(text.slice(end, end + 303))?.[0] ?? ''
  if (text[end + title.length] !== ')') return null
  return { href: safeUrl(text.slice(at + 1, end)), end: end + title.length + 1 }
}

/** Returns an http or https address as it is written; null for any other, such as `javascript:`. */
function safeUrl(url: string): string | null {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : null
}

const isUrlStart = (text: string, at: number) =>
  /^https?:\/\/[^\s/]/.test(text.slice(at, at + 9)) && !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')

/** Returns the address that begins here, without the punctuation that ends its sentence. */
function bareUrl(text: string, at: number): string {
  const url = /^[^\s<>"`*[\]]*/.exec(text.slice(at, at + longestUrl))?.[0] ?? ''
  return url.replace(/[.,:;!?'")]{1,8}$/, '')
}

const named = (children: readonly Inline[], href: string): readonly Inline[] =>
  children.length > 0 ? children : [{ kind: 'text', text: href }]
