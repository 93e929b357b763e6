import { expect } from 'vitest'
import { z } from 'zod'
import type { Rest } from './rest-client.ts'

/** Saves a workflow with one step, started by the external events that the trigger selects. Returns its id. */
export async function addWorkflow(rest: Rest, trigger: object, step: object): Promise<string> {
  const workflow = { name: 'Page', trigger: { type: 'external.event', ...trigger }, steps: [step] }
  const { status, text, body } = await rest('POST', '/workflows', workflow)
  expect(status, text).toBe(201)
  return z.object({ workflowId: z.string() }).parse(body).workflowId
}
