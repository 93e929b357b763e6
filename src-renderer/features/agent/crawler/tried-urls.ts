import { z } from 'zod'

/** The URLs that the patterns are tried against. The browser keeps them; they are not part of the shape. */
export const TriedUrls = z.array(z.string())

export const maxTried = 1000
/** As in the shape. */
const maxUrlLength = 2048
/** The maximum length of all URLs together: the browser's storage is small. */
const maxCharacters = 256 * 1024
/** The maximum length of a pasted text or a file. */
export const maxPastedCharacters = 4 * 1024 * 1024

/**
 * Returns the lines of a pasted text, or the entries of a pasted sitemap; `isIndex` if the sitemap only lists other
 * sitemaps.
 */
export function readPasted(text: string): { urls: string[]; isIndex: boolean } {
  const pasted = text.slice(0, maxPastedCharacters)
  if (!/^[\s\uFEFF]*</.test(pasted)) return { urls: nonEmpty(pasted.split(/\r\n?|\n/)), isIndex: false }
  if (pasted.includes('<sitemapindex')) return { urls: [], isIndex: true }
  return { urls: nonEmpty([...sitemapEntries(pasted)]), isIndex: false }
}

const nonEmpty = (lines: readonly string[]) => lines.map(line => line.trim()).filter(line => line !== '')

/** Yields the content of each `<loc>` outside of comments. Passes over the text once. */
function* sitemapEntries(xml: string): Generator<string> {
  const cdata = '<![CDATA['
  let at = 0
  while (true) {
    at = xml.indexOf('<', at)
    if (at === -1) return
    if (xml.startsWith('<!--', at)) {
      at = xml.indexOf('-->', at + 4)
      if (at === -1) return
    } else if (xml.startsWith('<loc>', at)) {
      const start = at + 5
      const isCdata = xml.startsWith(cdata, start)
      at = xml.indexOf(isCdata ? ']]>' : '<', start)
      if (at === -1) return
      yield isCdata ? xml.slice(start + cdata.length, at) : decodeEntities(xml.slice(start, at))
    } else at++
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const decodeEntities = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (all, name: string) => entities[name] ?? all)

/** Returns the tried URLs with others added, each once, and how many of those were left out because of a limit. */
export function addUrls(
  before: readonly string[],
  added: readonly string[],
): { urls: string[]; leftOut: number } {
  const urls = new Set(before)
  let characters = before.reduce((sum, url) => sum + url.length, 0)
  let leftOut = 0
  for (const url of added) {
    if (urls.has(url)) continue
    const fits =
      urls.size < maxTried && url.length <= maxUrlLength && characters + url.length <= maxCharacters
    if (!fits) leftOut++
    else {
      urls.add(url)
      characters += url.length
    }
  }
  return { urls: [...urls], leftOut }
}
