import { nextVersion } from '#main/lib/next-version.ts'
import type { CaseRecord, Config, ConnectionRecord } from '#main/storage/config.ts'
import type { ConfigChange } from '#main/storage/config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import { type CaseData, caseLength, caseTooLong, maxCases } from '#shared/model/case.ts'
import type { Issue } from '#shared/model/issue.ts'
import { newId, type RandomBytes } from './identifiers.ts'

type Index = ReadonlyMap<string, readonly CaseRecord[]>
const indexes = new WeakMap<Config['cases'], Index>()
const none: readonly CaseRecord[] = []

const ownersOf = ({ connectionId, actionId }: CaseRecord) => [connectionId, actionId]

/** Returns the cases of an action or of a connection, in the order of creation. @param id of either. */
export function casesOf({ cases }: Pick<Config, 'cases'>, id: string): readonly CaseRecord[] {
  let index = indexes.get(cases)
  if (index === undefined) {
    const made = new Map<string, CaseRecord[]>()
    for (const one of cases.values())
      for (const owner of ownersOf(one)) {
        const list = made.get(owner)
        if (list === undefined) made.set(owner, [one])
        else list.push(one)
      }
    indexes.set(cases, made)
    index = made
  }
  return index.get(id) ?? none
}

/** Returns a configuration with other cases. Keeps the index: making it for 100,000 cases takes longer than a change may. */
function withCases(config: Config, set: readonly CaseRecord[], removed: readonly CaseRecord[] = []): Config {
  const cases = new Map(config.cases)
  for (const { caseId } of removed) cases.delete(caseId)
  for (const one of set) cases.set(one.caseId, one)
  const index = indexes.get(config.cases)
  if (index !== undefined) indexes.set(cases, indexAfter(index, cases, set, removed))
  return { ...config, cases }
}

function indexAfter(
  before: Index,
  cases: Config['cases'],
  set: readonly CaseRecord[],
  removed: readonly CaseRecord[],
): Index {
  const index = new Map(before)
  const added = new Map<string, CaseRecord[]>()
  for (const owner of removed.flatMap(ownersOf)) added.set(owner, [])
  for (const one of set)
    for (const owner of ownersOf(one)) added.set(owner, [...(added.get(owner) ?? []), one])
  for (const [owner, ones] of added) {
    const own = before.get(owner) ?? none
    const known = new Set(own.map(({ caseId }) => caseId))
    const kept = own.flatMap(({ caseId }) => cases.get(caseId) ?? [])
    index.set(owner, [...kept, ...ones.filter(({ caseId }) => !known.has(caseId))])
  }
  return index
}

/**
 * Returns the cases of a connection, without those of actions that it does not have: a node of an earlier version deletes
 * an action without them.
 */
export function casesOfConnection(
  config: Pick<Config, 'cases'>,
  { connectionId, actions }: Pick<ConnectionRecord, 'connectionId' | 'actions'>,
): CaseRecord[] {
  const known = new Set(actions.map(action => action.actionId))
  return casesOf(config, connectionId).filter(({ actionId }) => known.has(actionId))
}

/** @throws ServiceError `case_not_found`. */
export function findCase({ cases }: Pick<Config, 'cases'>, actionId: string, caseId: string): CaseRecord {
  const record = cases.get(caseId)
  if (record?.actionId !== actionId) throw new ServiceError('case_not_found')
  return record
}

type Owner = Pick<CaseRecord, 'connectionId' | 'actionId'>

/** Returns the record of a new case. @param now ISO 8601. */
export function newCaseRecord(
  { connectionId, actionId }: Owner,
  data: CaseData,
  now: string,
  random: RandomBytes,
): CaseRecord {
  return { caseId: newId('case', random), connectionId, actionId, ...data, createdAt: now, updatedAt: now }
}

/**
 * Adds cases, whose actions are there.
 *
 * @throws ServiceError `case_name_taken`, `too_many_cases`; `invalid_input` for one that is too long.
 */
export function addCases(config: Config, added: readonly CaseRecord[]): Config {
  if (added.length === 0) return config
  const next = withCases(config, added)
  for (const one of added) requireFitting(one)
  for (const id of new Set(added.map(({ actionId }) => actionId))) {
    const own = casesOf(next, id)
    if (own.length > maxCases.ofAction) throw new ServiceError('too_many_cases')
    requireNames(own)
  }
  for (const id of new Set(added.map(({ connectionId }) => connectionId))) {
    if (casesOf(next, id).length > maxCases.ofConnection) throw new ServiceError('too_many_cases')
    requireRoom(next, id)
  }
  return next
}

/** @throws ServiceError `case_not_found`, `case_name_taken`, `too_many_cases`; `invalid_input` for one that is too long. */
export function changeCase(
  config: Config,
  { actionId, caseId }: Pick<CaseRecord, 'actionId' | 'caseId'>,
  change: Partial<CaseData>,
  now: string,
): ConfigChange<CaseRecord> {
  const before = findCase(config, actionId, caseId)
  const record: CaseRecord = nextVersion(before, change, now)
  requireFitting(record)
  const next = withCases(config, [record])
  requireNames(casesOf(next, actionId))
  requireRoom(next, record.connectionId)
  return { next, result: record }
}

/** @throws ServiceError `case_not_found`. */
export function removeCase(config: Config, actionId: string, caseId: string): ConfigChange<CaseRecord> {
  const record = findCase(config, actionId, caseId)
  return { next: withoutCases(config, [record]), result: record }
}

/** Returns a configuration without these cases. */
export function withoutCases(config: Config, removed: readonly CaseRecord[]): Config {
  if (removed.length === 0) return config
  return withCases(config, [], removed)
}

function requireFitting(data: CaseData): void {
  const problem = caseTooLong(data)
  if (problem !== null) throw new ServiceError('invalid_input', { data: { issues: [problem] } })
}

/** Refuses cases that would make the answer with all of them, or the export of the connection, too large. */
function requireRoom(config: Config, connectionId: string): void {
  const size = casesOf(config, connectionId).reduce((sum, one) => sum + caseLength(one), 0)
  if (size > maxCases.textOfConnection)
    throw new ServiceError('too_many_cases', {
      detail:
        'The arguments, paths and values of all cases of a connection have at most 4 MiB. Delete cases not in use.',
    })
}

function requireNames(own: readonly CaseRecord[]): void {
  const names = new Set<string>()
  for (const { name } of own) {
    if (names.has(name)) {
      const issues: Issue[] = [{ path: 'name', message: `The action already has a case named ${name}.` }]
      throw new ServiceError('case_name_taken', { data: { issues } })
    }
    names.add(name)
  }
}
