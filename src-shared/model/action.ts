import { z } from 'zod'
import { ActionHeaders } from './action-headers.ts'
import { fixedQueryNames, pathProblems } from './action-path.ts'
import { Moment } from './identifiers.ts'
import { isSnakeCase, Parameter } from './parameter.ts'
import { ResponseMapping } from './response-mapping.ts'
import { ToolName } from './tool-name.ts'

export const Method = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
export type Method = z.infer<typeof Method>

export const ActionId = z.string().regex(/^act_[A-Za-z0-9_-]{1,64}$/)

const ActionPath = z.string().superRefine((path, context) => {
  for (const message of pathProblems(path)) context.addIssue({ code: 'custom', message })
})

const fields = {
  name: z
    .string()
    .trim()
    .min(1, 'A name has at least one character.')
    .max(120, 'A name has at most 120 characters.'),
  toolName: ToolName,
  description: z.string().trim().min(1, 'Tell the assistant when and how to use the tool.').max(8000),
  method: Method,
  path: ActionPath,
  headers: ActionHeaders.nullable(),
  parameters: z.array(Parameter).max(200),
  responseMapping: ResponseMapping.nullable(),
  isEnabled: z.boolean(),
}

/** An outbound endpoint that the assistant may call (specification: Action). */
export const Action = z.object({ actionId: ActionId, ...fields, createdAt: Moment, updatedAt: Moment })
export type Action = z.infer<typeof Action>

/** The fields of an action that users set, complete and with the rules that span several of them. */
export const ActionFields = z.object(fields).check(context => {
  for (const issue of crossFieldIssues(context.value))
    context.issues.push({ code: 'custom', input: context.value, ...issue })
})
export type ActionFields = z.infer<typeof ActionFields>

/** As given over REST and in import documents: toolName, method and isEnabled may be left out. */
export const NewAction = z.object({
  ...fields,
  toolName: ToolName.optional(),
  method: Method.default('POST'),
  headers: ActionHeaders.nullish(),
  parameters: z.array(Parameter).max(200).default([]),
  responseMapping: ResponseMapping.nullish(),
  isEnabled: z.boolean().default(true),
})
export type NewAction = z.output<typeof NewAction>

export const ActionChange = z.object(fields).partial()
export type ActionChange = z.output<typeof ActionChange>

type CrossFieldIssue = { path: (string | number)[]; message: string }

/** Problems that no single field has: a parameter named twice, or like a fixed query parameter of a GET. */
export function crossFieldIssues(
  action: Pick<ActionFields, 'method' | 'path' | 'parameters'>,
): CrossFieldIssue[] {
  const issues: CrossFieldIssue[] = []
  const seen = new Set<string>()
  const fixed = new Set(action.method === 'GET' ? fixedQueryNames(action.path) : [])
  for (const [index, { name }] of action.parameters.entries()) {
    const path = ['parameters', index, 'name']
    if (seen.has(name)) issues.push({ path, message: `The parameter ${name} is there already.` })
    if (fixed.has(name))
      issues.push({ path, message: `The path has a fixed query parameter ${name} already.` })
    seen.add(name)
  }
  return issues
}

/** What is unusual about an action, though allowed. */
export function actionWarnings(action: Pick<ActionFields, 'parameters'>): CrossFieldIssue[] {
  return action.parameters.flatMap(({ name }, index) =>
    isSnakeCase(name) ? [] : [{ path: ['parameters', index, 'name'], message: `${name} is not snake_case.` }],
  )
}
