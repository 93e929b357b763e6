import { readdirSync, readFileSync } from 'node:fs'

const ticksASecond = 100

/** Returns the seconds of CPU that a process and those that it has started have taken. On Linux only. */
export function cpuSecondsOf(pid: number): number {
  const own = fieldsOf(pid)
  if (own === null) return 0
  const children = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => fieldsOf(Number(name)))
  const running = children.filter(fields => fields?.parent === pid)
  // Those that have ended count as its own.
  return (
    [own.ticks + own.ended, ...running.map(fields => fields?.ticks ?? 0)].reduce((a, b) => a + b) /
    ticksASecond
  )
}

function fieldsOf(pid: number) {
  try {
    const [, text = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    const fields = text.split(' ').map(Number)
    const sum = (from: number) => (fields[from] ?? 0) + (fields[from + 1] ?? 0)
    return { parent: fields[1], ticks: sum(11), ended: sum(13) }
  } catch {
    return null // it has ended
  }
}
