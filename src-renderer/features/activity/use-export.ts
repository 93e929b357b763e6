import { useRef, useState } from 'react'
import type { z } from 'zod'
import type { ExportSelection } from '#shared/model/activity.ts'
import { client } from '../../client/client.ts'
import { downloadParts } from '../../ui/download.ts'
import { formatCount } from '../../ui/format.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'

type Format = 'jsonl' | 'csv'

/** The formats of an export by their names. */
export const exportFormats: Readonly<Record<Format, string>> = { jsonl: 'JSON Lines', csv: 'CSV' }

const types: Readonly<Record<Format, string>> = { jsonl: 'application/x-ndjson', csv: 'text/csv' }

/** Returns a function that saves items of the activity as a file, and how many it has got so far; null for none. */
export function useExport() {
  const [count, setCount] = useState<number | null>(null)
  const running = useRef<AbortController>(null)

  async function save(selection: Omit<z.input<typeof ExportSelection>, 'format'>, format: Format) {
    const stop = new AbortController()
    running.current = stop
    const parts: string[] = []
    let lines = format === 'csv' ? -1 : 0
    setCount(0)
    try {
      for await (const part of await client.activity.export(
        { ...selection, format },
        { signal: stop.signal },
      )) {
        parts.push(part)
        // A cell of CSV may have line breaks too, so that the lines are what ends with both signs.
        lines += part.split(format === 'csv' ? '\r\n' : '\n').length - 1
        setCount(Math.max(0, lines))
      }
      if (stop.signal.aborted) return
      downloadParts(`activity.${format}`, parts, types[format])
      toastDone(`${formatCount(lines, 'row')} exported`)
    } catch (error) {
      if (!stop.signal.aborted) toastProblem('The activity was not exported', error)
    } finally {
      setCount(null)
    }
  }
  return {
    count,
    save: (...given: Parameters<typeof save>) => void save(...given),
    stop: () => running.current?.abort(),
  }
}
