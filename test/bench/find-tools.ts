/**
 * Searches for the tools of GitHub’s API. `node -r ./scripts/preload.cjs test/bench/find-tools.ts DOCUMENT`, with the
 * path of `generated/api.github.com.json` of the package `@octokit/openapi`.
 *
 * Targets: for 30 questions, the operation that answers each is among the first three; a search takes less than 5 ms;
 * making the index blocks the event loop for less than 20 ms at a time; the list of tools has less than 1,000 tokens.
 */
import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { z } from 'zod'
import { inputSchemaOf } from '#main/assistant/input-schema.ts'
import { onDemandTools } from '#main/assistant/on-demand.ts'
import { createToolSearch } from '#main/assistant/search/tool-search.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import type { ActionRecord } from '#main/storage/config.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { deriveToolName } from '#shared/model/tool-name.ts'
import { exampleAction, exampleConnection } from '../storage/config-fixtures.ts'
import { median, spread } from './support/statistics.ts'

/** Written before the ranking was tuned, and not changed since. */
const questions: readonly (readonly [question: string, operationId: string])[] = [
  ['close an issue', 'issues/update'],
  ['list the branches of a repository', 'repos/list-branches'],
  ['who starred this repo', 'activity/list-stargazers-for-repo'],
  ['open a new issue', 'issues/create'],
  ['comment on an issue', 'issues/create-comment'],
  ['merge a pull request', 'pulls/merge'],
  ['create a pull request', 'pulls/create'],
  ['request a review of a pull request', 'pulls/request-reviewers'],
  ['which files does a pull request change', 'pulls/list-files'],
  ['add a label to an issue', 'issues/add-labels'],
  ['assign an issue to someone', 'issues/add-assignees'],
  ['fork a repo', 'repos/create-fork'],
  ['read the contents of a file in a repository', 'repos/get-content'],
  ['update a file', 'repos/create-or-update-file-contents'],
  ['what is the latest release', 'repos/get-latest-release'],
  ['publish a new release', 'repos/create-release'],
  ['trigger a workflow', 'actions/create-workflow-dispatch'],
  ['download the logs of a workflow run', 'actions/download-workflow-run-logs'],
  ['rerun the failed jobs of a workflow', 'actions/re-run-workflow-failed-jobs'],
  ['search code', 'search/code'],
  ['search for repositories', 'search/repos'],
  ['invite somebody to an organization', 'orgs/create-invitation'],
  ['add a user to a team', 'teams/add-or-update-membership-for-user-in-org'],
  ['who contributed to this repository', 'repos/list-contributors'],
  ['how much of my rate limit is left', 'rate-limit/get'],
  ['mark notifications as read', 'activity/mark-notifications-as-read'],
  ['compare two commits', 'repos/compare-commits-with-basehead'],
  ['protect a branch', 'repos/update-branch-protection'],
  ['set a repository secret', 'actions/create-or-update-repo-secret'],
  ['follow a user', 'users/follow'],
]

/** Written during the tuning, to see whether the ranking fits others too. The last weights were chosen with both lists. */
const others: typeof questions = [
  ['list open pull requests', 'pulls/list'],
  ['delete a repository', 'repos/delete'],
  ['star a repository', 'activity/star-repo-for-authenticated-user'],
  ['unfollow a user', 'users/unfollow'],
  ['create a gist', 'gists/create'],
  ['list my gists', 'gists/list'],
  ['lock an issue', 'issues/lock'],
  ['remove a label from an issue', 'issues/remove-label'],
  ['list the commits of a pull request', 'pulls/list-commits'],
  ['upload an asset to a release', 'repos/upload-release-asset'],
  ['delete a file', 'repos/delete-file'],
  ['rename a branch', 'repos/rename-branch'],
  ['get the readme of a repository', 'repos/get-readme'],
  ['transfer a repository to another owner', 'repos/transfer'],
  ['list members of an organization', 'orgs/list-members'],
  ['remove a member from a team', 'teams/remove-membership-for-user-in-org'],
  ['list all tags', 'repos/list-tags'],
  ['create a webhook for a repository', 'repos/create-webhook'],
  ['cancel a workflow run', 'actions/cancel-workflow-run'],
  ['list failed workflow runs', 'actions/list-workflow-runs-for-repo'],
  ['approve a pull request', 'pulls/create-review'],
  ['which languages are used in the repository', 'repos/list-languages'],
  ['get my profile', 'users/get-authenticated'],
  ['block a user', 'users/block'],
  ['create a milestone', 'issues/create-milestone'],
  ['add a deploy key', 'repos/create-deploy-key'],
  ['list dependabot alerts', 'dependabot/list-alerts-for-repo'],
  ['render markdown', 'markdown/render'],
  ['search users', 'search/users'],
  ['add a collaborator to a repository', 'repos/add-collaborator'],
  ['generate release notes', 'repos/generate-release-notes'],
  ['how many people viewed my repository', 'repos/get-views'],
  ['react to an issue with an emoji', 'reactions/create-for-issue'],
  ['list the comments of an issue', 'issues/list-comments'],
]

const Reference = z.object({ $ref: z.string() })
const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  parameters: z.array(z.unknown()).default([]),
  requestBody: z.unknown().optional(),
})
const DeclaredParameter = z.object({ name: z.string(), description: z.string().optional() })
const Body = z.object({ content: z.record(z.string(), z.object({ schema: z.unknown().optional() })) })
const Properties = z.object({ properties: z.record(z.string(), z.unknown()) })
const Described = z.object({ description: z.string() })
const Document = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })

/** Returns the operations as actions, with the texts and parameters that an import takes from them. */
function actionsOf(path: string): { readonly actions: ActionRecord[]; readonly operationIds: string[] } {
  const document = Document.parse(JSON.parse(readFileSync(path, 'utf8')))
  function resolve(value: unknown): unknown {
    const { data } = Reference.safeParse(value)
    if (data === undefined) return value
    return data.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => Reflect.get(Object(at), key.replaceAll('~1', '/')), document)
  }
  const parameter = (name: string, described: unknown): Parameter => {
    const description = Described.safeParse(resolve(described)).data?.description ?? name
    return { name, type: 'string', description, required: false }
  }
  const operationIds: string[] = []
  const actions = Object.entries(document.paths).flatMap(([at, item]) =>
    (['get', 'post', 'put', 'patch', 'delete'] as const).flatMap(method => {
      const { data } = Operation.safeParse(item[method])
      if (data === undefined) return []
      const { operationId, summary, description = summary } = data
      const declared = data.parameters.flatMap(one => DeclaredParameter.safeParse(resolve(one)).data ?? [])
      const [content] = Object.values(Body.safeParse(resolve(data.requestBody)).data?.content ?? {})
      const { properties = {} } = Properties.safeParse(resolve(content?.schema)).data ?? {}
      operationIds.push(operationId)
      return exampleAction(operationId, {
        name: summary,
        toolName: deriveToolName(operationId, sha256Hex),
        description: description.slice(0, 8000),
        method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).parse(method.toUpperCase()),
        path: at,
        parameters: [
          ...declared.map(one => parameter(one.name, one)),
          ...Object.entries(properties).map(([name, schema]) => parameter(name, schema)),
        ],
      })
    }),
  )
  return { actions, operationIds }
}

const [, , path] = process.argv
if (path === undefined) {
  console.error('Give the path of api.github.com.json, of the package @octokit/openapi.')
  process.exit(2)
}
const { actions, operationIds } = actionsOf(path)
const connection = exampleConnection('conn_github', { name: 'GitHub', actions })
const searched = [{ connection, isWanted: () => true }]

/** Makes an index. @returns the milliseconds until it answers, and those of the longest turn of the event loop. */
async function makeIndex() {
  const search = createToolSearch()
  const startedAt = performance.now()
  let answered = false
  const answer = search.find(searched, 'an index', 1).then(() => {
    answered = true
  })
  let longestMs = 0
  while (!answered) {
    const before = performance.now()
    await setImmediate()
    longestMs = Math.max(longestMs, performance.now() - before)
  }
  await answer
  return { search, indexMs: performance.now() - startedAt, longestMs }
}
const made = [await makeIndex(), await makeIndex(), await makeIndex(), await makeIndex(), await makeIndex()]
const indexMs = made.map(one => one.indexMs)
const longestMs = made.map(one => one.longestMs)
const find = async (query: string) => made[0]?.search.find(searched, query, 20)

async function judge(
  asked: typeof questions,
): Promise<{ readonly found: number; readonly missed: string[] }> {
  let found = 0
  const missed: string[] = []
  for (const [question, operationId] of asked) {
    if (!operationIds.includes(operationId)) throw new Error(`The document has no ${operationId}.`)
    const answer = await find(question)
    const rank = (answer?.found ?? []).findIndex(({ action }) => action.actionId === `act_${operationId}`) + 1
    if (rank > 0 && rank <= 3) found++
    else missed.push(`${question}: ${operationId} is number ${rank === 0 ? 'over 20' : rank}`)
  }
  return { found, missed }
}
const first = await judge(questions)
const second = await judge(others)
const times: number[] = []
for (let round = 0; round < 10; round++)
  for (const [question] of questions) {
    const before = performance.now()
    await find(question)
    times.push(performance.now() - before)
  }
const tokens = (value: unknown) => countTokens(JSON.stringify(value))
const definitions = actions.map(({ toolName, name, description, parameters }) => ({
  ...{ name: toolName, title: name, description },
  inputSchema: inputSchemaOf(parameters),
}))
const counts = {
  tools: actions.length,
  allTokens: definitions.reduce((sum, definition) => sum + tokens(definition), 0),
  onDemandTokens: tokens(Object.values(onDemandTools)),
}
console.log(`${first.found} of ${questions.length} questions, and ${second.found} of ${others.length} others`)
for (const line of [...first.missed, ...second.missed]) console.log(`  ${line}`)
console.log(
  `ms: index ${spread(indexMs, 0)}, its longest turn of the event loop ${spread(longestMs, 1)}; search ${spread(times)}`,
)
console.log(`${counts.tools} tools: ${counts.allTokens} tokens; on demand: ${counts.onDemandTokens} tokens`)
const isMet =
  first.found === questions.length &&
  median(times) < 5 &&
  median(longestMs) < 20 &&
  counts.onDemandTokens < 1000
if (!isMet) process.exitCode = 1
