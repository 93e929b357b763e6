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
 * @param onError receives why a family could not be read; the page leaves its samples out.
 * @param waitMs milliseconds that a page waits for what it asks for.
 */
export function createMetrics(source: MetricsSource, onError: (error: unknown) => void, waitMs = askMs) {
  const failed = (error: unknown): Samples => {
    onError(error)
    return []
  }

  /** Returns what families have to be asked for; null for the others. */
  async function askAll(scrape: Scrape): Promise<readonly (Samples | null)[]> {
    const isOver = new AbortController()
    const late = delay<Samples>(waitMs, [], { signal: isOver.signal, ref: false }).catch(() => [])
    const asked = await Promise.all(
      families.map(family =>
        'ask' in family ? Promise.race([family.ask(scrape).catch(failed), late]) : null,
      ),
    )
    isOver.abort()
    return asked
  }

  function readNow(family: Family, scrape: Scrape): Samples {
    try {
      return 'read' in family ? family.read(scrape) : []
    } catch (error) {
      return failed(error)
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
