import { nextVersion } from '#main/lib/next-version.ts'
import type { CaseRecord, Config } from '#main/storage/config.ts'
import type { ConfigChange } from '#main/storage/config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import { type CaseData, caseTooLong, maxCases } from '#shared/model/case.ts'
import type { Issue } from '#shared/model/issue.ts'
import { newId, type RandomBytes } from './identifiers.ts'

type Index = ReadonlyMap<string, readonly CaseRecord[]>
const indexes = new WeakMap<Config['cases'], Index>()
const none: readonly CaseRecord[] = []

/** Returns the cases of an action or of a connection, in the order of creation. @param id of either. */
export function casesOf({ cases }: Pick<Config, 'cases'>, id: string): readonly CaseRecord[] {
  let index = indexes.get(cases)
  if (index === undefined) {
    const made = new Map<string, CaseRecord[]>()
    for (const one of cases.values())
      for (const owner of [one.connectionId, one.actionId]) {
        const list = made.get(owner)
        if (list === undefined) made.set(owner, [one])
        else list.push(one)
      }
    indexes.set(cases, made)
    index = made
  }
  return index.get(id) ?? none
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
  const cases = new Map(config.cases)
  for (const one of added) cases.set(one.caseId, one)
  const next = { ...config, cases }
  for (const one of added) requireFitting(one)
  for (const id of new Set(added.map(({ actionId }) => actionId))) {
    const own = casesOf(next, id)
    if (own.length > maxCases.ofAction) throw new ServiceError('too_many_cases')
    requireNames(own)
  }
  for (const id of new Set(added.map(({ connectionId }) => connectionId)))
    if (casesOf(next, id).length > maxCases.ofConnection) throw new ServiceError('too_many_cases')
  return next
}

/** @throws ServiceError `case_not_found`, `case_name_taken`; `invalid_input` for one that is too long. */
export function changeCase(
  config: Config,
  { actionId, caseId }: Pick<CaseRecord, 'actionId' | 'caseId'>,
  change: Partial<CaseData>,
  now: string,
): ConfigChange<CaseRecord> {
  const before = findCase(config, actionId, caseId)
  const record: CaseRecord = nextVersion(before, change, now)
  requireFitting(record)
  const next = { ...config, cases: new Map(config.cases).set(caseId, record) }
  requireNames(casesOf(next, actionId))
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
  const cases = new Map(config.cases)
  for (const { caseId } of removed) cases.delete(caseId)
  return { ...config, cases }
}

function requireFitting(data: CaseData): void {
  const problem = caseTooLong(data)
  if (problem !== null) throw new ServiceError('invalid_input', { data: { issues: [problem] } })
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
