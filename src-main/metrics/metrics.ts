import { setTimeout as delay } from 'node:timers/promises'
import { type Family, families, type MetricsSource, type Scrape } from './families.ts'
import type { ProcessWatch } from './process-watch.ts'
import { type PageFormat, type Samples, type WrittenFamily, writePage } from './write-page.ts'

/** The beginning of the name of each family. */
export const metricPrefix = 'custom_connection_'

/** Part of the HELP of what is the same on all nodes. */
const sharedNote = ' The same on every node of a database: use max, not sum.'

/** A scraper gives up after ten seconds. */
const askMs = 2000

/** Makes the pages of metrics. */
export type Metrics = ReturnType<typeof createMetrics>

/**
 * @param onError receives why a family could not be read, once until it can be; the page leaves its samples out.
 * @param waitMs milliseconds that a page waits for what it asks for.
 */
export function createMetrics(source: MetricsSource, onError: (error: unknown) => void, waitMs = askMs) {
  const failing = new Set<Family>()

  function failed(family: Family, error: unknown): Samples {
    // A scraper asks several times a minute.
    if (!failing.has(family)) onError(error)
    failing.add(family)
    return []
  }

  async function ask(family: Extract<Family, { ask: unknown }>, scrape: Scrape): Promise<Samples> {
    try {
      const samples = await family.ask(scrape)
      failing.delete(family)
      return samples
    } catch (error) {
      return failed(family, error)
    }
  }

  /** Returns what families have to be asked for; null for the others. */
  async function askAll(scrape: Scrape): Promise<readonly (Samples | null)[]> {
    const isOver = new AbortController()
    const late = delay<Samples>(waitMs, [], { signal: isOver.signal, ref: false }).catch(() => [])
    const asked = await Promise.all(
      families.map(family => ('ask' in family ? Promise.race([ask(family, scrape), late]) : null)),
    )
    isOver.abort()
    return asked
  }

  function readNow(family: Family, scrape: Scrape): Samples {
    try {
      const samples = 'read' in family ? family.read(scrape) : []
      failing.delete(family)
      return samples
    } catch (error) {
      return failed(family, error)
    }
  }

  return {
    /** Returns a page with all that can be told now. It waits at most two seconds for a storage that is away. */
    async page(format: PageFormat, process: ProcessWatch): Promise<string> {
      const begun = performance.now()
      const scrape = { ...source, process, elapsed: () => (performance.now() - begun) / 1000 }
      const asked = await askAll(scrape)
      return writePage(
        families.map((family, index) => named(family, asked[index] ?? readNow(family, scrape))),
        format,
      )
    },
  }
}

function named({ name, type, help, isShared }: Family, samples: Samples): WrittenFamily {
  return { name: metricPrefix + name, type, help: help + (isShared ? sharedNote : ''), samples }
}
