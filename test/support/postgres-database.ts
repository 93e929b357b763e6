import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'

/** Creates an empty database for a test file, on the server that all files share. Returns its URL. */
export async function newDatabase(): Promise<string> {
  const response = await fetch(inject('postgresStarter'))
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  // Neither the process nor a count would do: several files run in one process, each with modules of its own.
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await query(text, `CREATE DATABASE ${name}`)
  return Object.assign(new URL(text), { pathname: `/${name}` }).href
}

/** Runs statements on a connection of their own. Returns the rows of the last one. */
export async function query(url: string, text: string, values?: unknown[]): Promise<unknown[]> {
  const client = new Client(url)
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(text, values)
    return rows
  } finally {
    await client.end()
  }
}
